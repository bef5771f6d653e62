import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { ChallengeError, readChallenge, signChallenge } from '@windlass/stellar/sep10-challenge.ts'
import type { Demand } from './check-anchor.ts'
import { demand, demandOk, demandRefusal, member, Unmet, type Visit } from './visit.ts'

const challengeUrl = ({ endpoints, wallet }: Visit, more: Record<string, string> = {}) =>
  `${endpoints.webAuth}?${new URLSearchParams({ account: wallet.publicKey, ...more })}`

async function fetchChallenge(visit: Visit, more: Record<string, string> = {}) {
  const answer = await visit.ask(challengeUrl(visit, more))
  demandOk(answer, 'The request for a challenge')
  const envelope = member(answer.json, 'transaction')
  demand(typeof envelope === 'string', 'The answer has no transaction.')
  return { envelope, names: Object.keys(answer.json as object).sort(), json: answer.json }
}

/** Holds a challenge against every demand of SEP-10 on its content and the server's signature. */
function read({ anchor, endpoints, now, wallet }: Visit, envelope: string, account = wallet.publicKey) {
  const terms = {
    server: anchor.signingKey,
    networkPassphrase: anchor.networkPassphrase,
    homeDomain: anchor.homeDomain,
    webAuthDomain: new URL(endpoints.webAuth).host,
  }
  try {
    const challenge = readChallenge(envelope, terms, now())
    demand(challenge.account === account, 'The challenge is for another account.')
    return challenge
  } catch (error) {
    if (error instanceof ChallengeError) throw new Unmet(`The challenge is not right: ${error.message}.`)
    throw error
  }
}

/** The challenge that the login uses up. */
const challengeOf = (visit: Visit) => visit.once('challenge', () => fetchChallenge(visit))

const signedBy = ({ anchor }: Visit, envelope: string, secret: string): string =>
  signChallenge(envelope, anchor.networkPassphrase, signerFromSeed(secret))

const handIn = (visit: Visit, transaction: string) =>
  visit.ask(visit.endpoints.webAuth, { method: 'POST', json: { transaction } })

const logIn = (visit: Visit) =>
  visit.once('login', async () => {
    const { envelope } = await challengeOf(visit)
    // Nothing is signed that is not a challenge of this anchor for this domain.
    read(visit, envelope)
    const signed = signedBy(visit, envelope, visit.wallet.secret)
    const answer = await handIn(visit, signed)
    demandOk(answer, 'The login')
    const token = member(answer.json, 'token')
    demand(typeof token === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token), 'The token is no JWT.')
    demand(token.length <= 4_000, 'The token is longer than 4,000 characters.')
    return { token, signed }
  })

/** The token of the visit's one login. Throws {@link Unmet}. */
export async function tokenOf(visit: Visit): Promise<string> {
  try {
    return (await logIn(visit)).token
  } catch {
    throw new Unmet('Not tried: the login (SEP-10) did not succeed.')
  }
}

function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  } catch {
    throw new Unmet('The token’s claims cannot be read.')
  }
}

export const sep10: readonly Demand[] = [
  {
    check: 'sep10-challenge',
    demand:
      'The challenge has sequence 0, fifteen minutes, a 48-byte nonce, both domains and the anchor’s signature.',
    meaning: 'Wallets refuse to sign: nobody can log in.',
    see: async visit => {
      const { envelope, names, json } = await challengeOf(visit)
      read(visit, envelope)
      demand(names.join() === 'network_passphrase,transaction', `The answer holds ${names.join(', ')}.`)
      const passphrase = member(json, 'network_passphrase')
      demand(passphrase === visit.anchor.networkPassphrase, 'network_passphrase is of another network.')
    },
  },
  {
    check: 'sep10-memo',
    demand: 'A challenge for a shared account carries the memo that tells its customers apart.',
    meaning: 'Exchanges and custodial wallets cannot log their customers in.',
    see: async visit => {
      const { memo } = read(visit, (await fetchChallenge(visit, { memo: '42' })).envelope)
      demand(memo === '42', `The challenge carries ${memo === null ? 'no memo' : 'another memo'}.`)
    },
  },
  {
    check: 'sep10-muxed',
    demand: 'A muxed account (M…) gets a challenge of its own.',
    meaning: 'Wallets that give each customer a muxed account cannot log them in.',
    see: async visit => {
      const account = muxedAccount(visit.wallet.publicKey, '42')
      read(visit, (await fetchChallenge(visit, { account })).envelope, account)
    },
  },
  {
    check: 'sep10-bad-account',
    demand: 'A challenge for something that is no account is refused with 400 and {"error"}.',
    meaning: 'Wallets cannot tell their users what is wrong.',
    see: async visit =>
      demandRefusal(await visit.ask(`${visit.endpoints.webAuth}?account=GNOBODY`), 'A wrong account', 400),
  },
  {
    check: 'sep10-other-domain',
    demand: 'A challenge for another home domain is refused.',
    meaning: 'A login here could be used to log in elsewhere.',
    see: async visit => {
      const url = challengeUrl(visit, { home_domain: 'elsewhere.example' })
      demandRefusal(await visit.ask(url), 'Another home domain', 400, 404)
    },
  },
  {
    check: 'sep10-other-signature',
    demand: 'A challenge that somebody else signed is refused with 400.',
    meaning: 'Anybody could log in as anybody.',
    see: async visit => {
      const { envelope } = await fetchChallenge(visit)
      read(visit, envelope)
      const forged = signedBy(visit, envelope, generateKey().secret)
      demandRefusal(await handIn(visit, forged), 'A signature of somebody else', 400, 401, 403)
    },
  },
  {
    check: 'sep10-login',
    demand: 'A signed challenge gives a token with iss, sub, iat, exp and jti.',
    meaning: 'Nobody can log in.',
    see: async visit => {
      const claims = claimsOf((await logIn(visit)).token)
      demand(member(claims, 'sub') === visit.wallet.publicKey, 'sub is not the account that logged in.')
      const lacks = ['iss', 'iat', 'exp', 'jti'].find(name => member(claims, name) === undefined)
      demand(!lacks, `The token has no ${lacks}.`)
    },
  },
  {
    check: 'sep10-replay',
    demand: 'A challenge is good once.',
    meaning: 'Whoever overhears a login could repeat it.',
    see: async visit => {
      await tokenOf(visit)
      demandRefusal(
        await handIn(visit, (await logIn(visit)).signed),
        'A challenge that was used',
        400,
        401,
        403,
      )
    },
  },
]
