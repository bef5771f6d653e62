import type { EmailLanguage } from '@windlass/contracts/emails.ts'
import { clientNetwork } from '@windlass/service/client-address.ts'
import { createCounter } from '@windlass/service/metrics.ts'
import { type Rate, createRate } from '@windlass/service/rates.ts'
import { isEmail } from '@windlass/service/validation.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { declareEmail, type EmailSender, enqueueEmail, normalizedEmail } from '../mail/email.ts'
import type { CodeRealm } from '../tables.ts'
import { codeHash, newCode } from './code.ts'

const codes = createCounter('windlass_sign_in_codes_total', 'Sign-in codes that were requested', [
  'realm',
  'outcome',
])

/** Of the page that asks for the code, and whose customer gets it. */
interface CodeEmail {
  language?: EmailLanguage
  sender?: EmailSender | undefined
}

/** Emails a code if the address is well-formed and no limit is reached. The caller cannot see which. */
type RequestCode = (email: string, clientAddress: string, look?: CodeEmail) => Promise<void>

/**
 * `perClient` codes an hour are sent for one client, whatever the addresses. A throttled request leaves the previous code valid. Known and unknown addresses are handled alike: an unknown one is
 * registered when its code is verified.
 */
export function codeRequests(deps: Deps, realm: CodeRealm, perClient = 20): RequestCode {
  const budget = mailBudget(deps, realm, perClient)
  return async (typed, clientAddress, { language, sender } = {}) => {
    const email = normalizedEmail(typed)
    if (!isEmail(email)) return
    if (!(await allows(budget, email, clientNetwork(clientAddress)))) {
      codes.inc({ realm, outcome: 'limited' })
      return
    }
    const code = newCode()
    await deps.database.db.transaction().execute(async tx => {
      const row = {
        code_hash: codeHash(deps.config.otpKey, realm, email, code),
        tries: 0,
        tries_elsewhere: 0,
        client: clientNetwork(clientAddress),
        expires_at: sql<Date>`now() + ${CODE_MINUTES} * interval '1 minute'`,
        used_at: null,
      }
      await tx
        .insertInto('login_codes')
        .values({ realm, email, ...row })
        .onConflict(conflict => conflict.columns(['realm', 'email']).doUpdateSet(row))
        .execute()
      await enqueueEmail(tx, deps.sealer, newId('code'), email, codeEmail({ code, sender }), language)
    })
    codes.inc({ realm, outcome: 'sent' })
  }
}

interface MailBudget {
  pace: Rate | null
  client: Rate
  pair: Rate
  address: Rate
}

function mailBudget({ database: { pool }, config }: Deps, realm: CodeRealm, perClient: number): MailBudget {
  const factor = config.rateFactor
  return {
    pace: config.deployment.local ? null : createRate(pool, `${realm}-code-pace`, 1, 60),
    client: createRate(pool, `${realm}-code-client`, perClient * factor, 3600),
    pair: createRate(pool, `${realm}-code-pair`, 5 * factor, 3600),
    address: createRate(pool, `${realm}-code-address`, 20 * factor, 3600),
  }
}

/** Takes from the client's own rates first: one that is refused uses nothing of what the address may get from others. */
async function allows(
  { pace, client, pair, address }: MailBudget,
  email: string,
  network: string,
): Promise<boolean> {
  const key = `${network} ${email}`
  if (pace && (await pace.take(key)) !== null) return false
  if ((await pair.take(key)) !== null || (await client.take(network)) !== null) return false
  return (await address.take(email)) === null
}

const CODE_MINUTES = 5

/** The code begins the subject, so that it can be read from a notification: it works for minutes, and once. */
const codeEmail = declareEmail<{ code: string; sender?: EmailSender | undefined }>({
  name: 'sign-in-code',
  recipients: ['operator', 'customer'],
  sample: { code: '123456' },
  texts: {
    en: ({ code, sender }) => ({
      sender,
      subject: `${code} is your sign-in code`,
      paragraphs: [
        'Hello,',
        `Enter this code on the page where you requested it. It is valid for ${CODE_MINUTES} minutes and works once.`,
      ],
      code,
      footnote: 'If you did not request a code, ignore this email. Nobody can sign in without the code.',
    }),
    es: ({ code, sender }) => ({
      sender,
      subject: `${code} es su código para iniciar sesión`,
      paragraphs: [
        'Hola:',
        `Escriba este código en la página donde lo pidió. Es válido durante ${CODE_MINUTES} minutos y sirve una sola vez.`,
      ],
      code,
      footnote: 'Si no pidió un código, ignore este correo. Nadie puede iniciar sesión sin el código.',
    }),
  },
})
