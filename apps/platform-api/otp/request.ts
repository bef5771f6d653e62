import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import { createCounter } from '@windlass/service/observe/metrics.ts'
import { type Rate, createRate } from '@windlass/service/http/rates.ts'
import { isEmail } from '@windlass/service/http/validation.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { type AccountAtAnchor, emailCustomer } from '../mail/customer-emails.ts'
import { enqueueEmail, normalizedEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import type { CodePurpose, CodeRealm } from '../sign-in-tables.ts'
import { codeHash, type CodeUse, newCode, placeOf } from './code.ts'
import { anchorCodeEmail, type AnchorPage, CODE_MINUTES, codeEmail } from './emails.ts'
import { type FindOwner, ownNetworks } from './own-networks.ts'

const codes = createCounter('windlass_sign_in_codes_total', 'Sign-in codes that were requested', [
  'realm',
  'outcome',
])

interface CodeRequest {
  purpose: CodePurpose
  /** Language of the page that asks for the code. */
  language?: EmailLanguage
  /** The anchor whose page asks for it; absent: our own pages. */
  anchor?: AnchorPage & { id: string; named: AccountAtAnchor | null }
}

/** Emails a code if the address is well-formed and no limit is reached. The caller cannot see which. */
type RequestCode = (email: string, clientAddress: string, request: CodeRequest) => Promise<void>

/**
 * `perClient` codes an hour are sent for one client, whatever the addresses. A throttled request leaves the previous code
 * valid. Known and unknown addresses are handled alike: an unknown one is registered when its code is verified.
 */
export function codeRequests(
  deps: Deps,
  realm: CodeRealm,
  findOwner: FindOwner,
  perClient = 20,
): RequestCode {
  const { urls, otpKey } = deps.config
  const budget = mailBudget(deps, realm, perClient)
  const { host } = new URL(realm === 'customer' ? urls.customerPortal : urls.founderConsole)
  return async (typed, clientAddress, { purpose, language, anchor }) => {
    const email = normalizedEmail(typed)
    if (!isEmail(email)) return
    const { db } = deps.database
    const network = clientNetwork(clientAddress)
    const use = { realm, purpose, anchorId: anchor?.id ?? null }
    const isOwn = async (other: string) =>
      (await ownNetworks(db, realm, await findOwner(db, email))).has(other)
    if (
      !(await allows(budget, email, network, { anchorId: use.anchorId, isOwn })) ||
      (await isOwnersWaiting(db, use, email, network, isOwn))
    ) {
      codes.inc({ realm, outcome: 'limited' })
      return
    }
    const code = newCode()
    await db.transaction().execute(async tx => {
      const row = {
        code_hash: codeHash(otpKey, use, email, code),
        ...{ tries: 0, tries_elsewhere: 0, tries_misplaced: 0 },
        client: network,
        expires_at: sql<Date>`now() + ${CODE_MINUTES} * interval '1 minute'`,
        used_at: null,
      }
      await tx
        .insertInto('emailed_codes')
        .values({ realm, email, purpose, place: placeOf(use), ...row })
        .onConflict(conflict => conflict.columns(['realm', 'email', 'purpose', 'place']).doUpdateSet(row))
        .execute()
      const mail = anchor ? anchorCodeEmail({ code, page: anchor }) : codeEmail({ code, purpose, host })
      const id = newId('code')
      if (!anchor?.named) return enqueueEmail(tx, deps.sealer, id, email, mail, language)
      const about = { anchorId: anchor.id, ...anchor.named }
      const now = deps.clock.now()
      await emailCustomer(tx, deps.sealer, {
        ...{ id, to: email, email: mail, language, customerId: null, about, now },
      })
    })
    codes.inc({ realm, outcome: 'sent' })
  }
}

/** Removes codes that ended a day ago, and failures that count no more. */
export async function pruneCodes(db: PlatformDb): Promise<void> {
  await sql`delete from emailed_codes where expires_at < now() - interval '1 day'`.execute(db)
  await sql`delete from code_failures where since < now() - interval '1 day'`.execute(db)
  // Nothing writes it any more: earlier releases did.
  await sql`delete from login_codes where expires_at < now() - interval '1 day'`.execute(db)
}

/** Whether a network is one of the address' owner. */
type IsOwn = (network: string) => Promise<boolean>

interface MailBudget {
  pace: Rate | null
  client: Rate
  pair: Rate
  /** All clients of an anchor together: it could make their addresses up. */
  anchor: Rate
  address: Rate
}

function mailBudget({ database: { pool }, config }: Deps, realm: CodeRealm, perClient: number): MailBudget {
  const factor = config.rateFactor
  return {
    pace: config.deployment.local ? null : createRate(pool, `${realm}-code-pace`, 1, 60),
    client: createRate(pool, `${realm}-code-client`, perClient * factor, 3600),
    pair: createRate(pool, `${realm}-code-pair`, 5 * factor, 3600),
    anchor: createRate(pool, 'anchor-codes', 500 * factor, 3600),
    address: createRate(pool, `${realm}-code-address`, 20 * factor, 3600),
  }
}

/** Takes from the client's own rates first: one that is refused uses nothing of what others may get for the address, or at the anchor. */
async function allows(
  { pace, client, pair, anchor, address }: MailBudget,
  email: string,
  network: string,
  { anchorId, isOwn }: { anchorId: string | null; isOwn: IsOwn },
): Promise<boolean> {
  const key = `${network} ${email}`
  if (pace && (await pace.take(key)) !== null) return false
  if ((await pair.take(key)) !== null || (await client.take(network)) !== null) return false
  if (anchorId !== null && (await anchor.take(anchorId)) !== null) return false
  return (await address.take(email)) === null || isOwn(network)
}

/** Whether a code waits that the address' owner asked for from a network of theirs, which a stranger's would replace. */
async function isOwnersWaiting(
  db: PlatformDb,
  use: CodeUse,
  email: string,
  network: string,
  isOwn: IsOwn,
): Promise<boolean> {
  const waiting = await db
    .selectFrom('emailed_codes')
    .select('client')
    .where('realm', '=', use.realm)
    .where('email', '=', email)
    .where('purpose', '=', use.purpose)
    .where('place', '=', placeOf(use))
    .where('client', '<>', network)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return waiting !== undefined && (await isOwn(waiting.client)) && !(await isOwn(network))
}
