import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import {
  ChallengeError,
  ChallengeTimeError,
  readChallenge,
  saysExpired,
  signChallenge,
} from '@windlass/stellar/sep10-challenge.ts'
import {
  ensure,
  ensureOk,
  ensureRefused,
  member,
  CheckFailed,
  type Answer,
  type Check,
  type Visit,
} from './visit.ts'

const challengeUrl = ({ endpoints, wallet }: Visit, more: Record<string, string> = {}) =>
  `${endpoints.webAuth}?${new URLSearchParams({ account: wallet.publicKey, ...more })}`

async function fetchChallenge(visit: Visit, more: Record<string, string> = {}) {
  const answer = await visit.ask(challengeUrl(visit, more))
  ensureOk(answer, 'The request for a challenge')
  const envelope = member(answer.json, 'transaction')
  ensure(typeof envelope === 'string', 'The answer has no transaction.')
  return { envelope, names: Object.keys(answer.json as object).sort(), json: answer.json }
}

const readAt = ({ anchor, endpoints, now }: Visit, envelope: string) =>
  readChallenge(
    envelope,
    {
      server: anchor.signingKey,
      networkPassphrase: anchor.networkPassphrase,
      homeDomain: anchor.homeDomain,
      webAuthDomain: new URL(endpoints.webAuth).host,
    },
    now(),
  )

/** Checks a challenge's content and the server's signature by the rules of SEP-10. */
function read(visit: Visit, envelope: string, account = visit.wallet.publicKey) {
  try {
    const challenge = readAt(visit, envelope)
    ensure(challenge.account === account, 'The challenge is for another account.')
    return challenge
  } catch (error) {
    if (error instanceof ChallengeError) throw new CheckFailed(`The challenge is invalid: ${error.message}.`)
    throw error
  }
}

/** The challenge that the login uses up: another where a clock was set since the first was issued. */
const challengeOf = (visit: Visit) =>
  visit.once('challenge', async () => {
    const first = await fetchChallenge(visit)
    return isInTime(visit, first.envelope) ? first : fetchChallenge(visit)
  })

function isInTime(visit: Visit, envelope: string): boolean {
  try {
    readAt(visit, envelope)
    return true
  } catch (error) {
    return !(error instanceof ChallengeTimeError)
  }
}

const signedBy = ({ anchor }: Visit, envelope: string, secret: string): string =>
  signChallenge(envelope, anchor.networkPassphrase, signerFromSeed(secret))

const submitSigned = (visit: Visit, transaction: string) =>
  visit.ask(visit.endpoints.webAuth, { method: 'POST', json: { transaction } })

async function answerChallenge(visit: Visit, envelope: string) {
  // Never sign anything but a valid challenge of this anchor.
  read(visit, envelope)
  const signed = signedBy(visit, envelope, visit.wallet.secret)
  return { answer: await submitSigned(visit, signed), signed }
}

const isExpired = ({ status, json }: Answer): boolean =>
  status >= 400 && status < 500 && saysExpired(String(member(json, 'error') ?? ''))

/** The one login of this run. Throws {@link CheckFailed} with what was wrong. */
export const logIn = (visit: Visit) =>
  visit.once('login', async () => {
    const first = await answerChallenge(visit, (await challengeOf(visit)).envelope)
    const { answer, signed } = isExpired(first.answer)
      ? await answerChallenge(visit, (await fetchChallenge(visit)).envelope)
      : first
    ensureOk(answer, 'The login')
    const token = member(answer.json, 'token')
    ensure(typeof token === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token), 'The token is not a JWT.')
    ensure(token.length <= 4_000, 'The token is longer than 4,000 characters.')
    return { token, signed }
  })

/** The token of the one login of this run. Throws {@link CheckFailed}. */
export async function tokenOf(visit: Visit): Promise<string> {
  try {
    return (await logIn(visit)).token
  } catch {
    throw new CheckFailed('Not tried: the login (SEP-10) did not succeed.')
  }
}

function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  } catch {
    throw new CheckFailed('The token’s claims cannot be read.')
  }
}

export const sep10: readonly Check[] = [
  {
    name: 'sep10-challenge',
    requirement:
      'The challenge has sequence 0, fifteen minutes, a 48-byte nonce, both domains and the anchor’s signature.',
    impact: 'Wallets refuse to sign it, so nobody can log in.',
    run: async visit => {
      const { envelope, names, json } = await challengeOf(visit)
      read(visit, envelope)
      ensure(
        names.join() === 'network_passphrase,transaction',
        `The answer has the fields ${names.join(', ')}.`,
      )
      const passphrase = member(json, 'network_passphrase')
      ensure(passphrase === visit.anchor.networkPassphrase, 'network_passphrase names another network.')
    },
  },
  {
    name: 'sep10-memo',
    requirement: 'A challenge for a shared account contains the memo that identifies the customer.',
    impact: 'Exchanges and custodial wallets cannot log their customers in.',
    run: async visit => {
      const { memo } = read(visit, (await fetchChallenge(visit, { memo: '42' })).envelope)
      ensure(memo === '42', `The challenge contains ${memo === null ? 'no memo' : 'another memo'}.`)
    },
  },
  {
    name: 'sep10-muxed',
    requirement: 'A challenge for a muxed account (M…) is for that account.',
    impact: 'Wallets that give each customer a muxed account cannot log them in.',
    run: async visit => {
      const account = muxedAccount(visit.wallet.publicKey, '42')
      read(visit, (await fetchChallenge(visit, { account })).envelope, account)
    },
  },
  {
    name: 'sep10-bad-account',
    requirement: 'A request with an invalid account is refused with 400 and {"error"}.',
    impact: 'Wallets cannot show their users what is wrong.',
    run: async visit =>
      ensureRefused(await visit.ask(`${visit.endpoints.webAuth}?account=GNOBODY`), 'An invalid account', 400),
  },
  {
    name: 'sep10-other-domain',
    requirement: 'A challenge for another home domain is refused.',
    impact: 'A login here could be used to log in elsewhere.',
    run: async visit => {
      const url = challengeUrl(visit, { home_domain: 'elsewhere.example' })
      ensureRefused(await visit.ask(url), 'Another home domain', 400, 404)
    },
  },
  {
    name: 'sep10-other-signature',
    requirement: 'A challenge with another key’s signature is refused.',
    impact: 'Anyone could log in as any customer.',
    run: async visit => {
      const { envelope } = await fetchChallenge(visit)
      read(visit, envelope)
      const forged = signedBy(visit, envelope, generateKey().secret)
      ensureRefused(await submitSigned(visit, forged), 'A signature by another key', 400, 401, 403)
    },
  },
  {
    name: 'sep10-login',
    requirement: 'A signed challenge gives a token with iss, sub, iat, exp and jti.',
    impact: 'Nobody can log in.',
    run: async visit => {
      const claims = claimsOf((await logIn(visit)).token)
      ensure(member(claims, 'sub') === visit.wallet.publicKey, 'sub is not the account that logged in.')
      const lacks = ['iss', 'iat', 'exp', 'jti'].find(name => member(claims, name) === undefined)
      ensure(!lacks, `The token has no ${lacks}.`)
    },
  },
  {
    name: 'sep10-replay',
    requirement: 'A challenge can be used once.',
    impact: 'Anyone who intercepts a login could repeat it.',
    run: async visit => {
      await tokenOf(visit)
      ensureRefused(await submitSigned(visit, (await logIn(visit)).signed), 'A used challenge', 400, 401, 403)
    },
  },
]
