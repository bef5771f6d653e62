import type { Principals } from '@windlass/contracts/realm.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import { jwtVerify } from 'jose'
import { createSecretKey } from 'node:crypto'
import { notAuthenticated } from '../errors.ts'
import { signToken } from './sign-token.ts'

/** A wallet's session from SEP-10: one day. */
const TOKEN_SECONDS = 24 * 60 * 60
/** Tokens that were read take so much: a wallet sends the same one with each request. */
const KEPT_BYTES = 1024 * 1024

interface WalletSession {
  /** `G…` or `M…` */
  account: string
  memo: string | null
  clientDomain: string | null
  homeDomain: string
  /** The challenge's hash in hex. */
  tokenId: string
}

export interface WalletTokens {
  issue(session: WalletSession, now: Date): string
  guard: Guard<'wallet'>
}

/** Tokens as SEP-10 describes them: iss, sub (`G…`, `G…:memo` or `M…`), iat, exp, jti, client_domain. */
export function walletTokens(secret: string, publicUrl: string): WalletTokens {
  const key = createSecretKey(Buffer.from(secret))
  const issuer = `${publicUrl}/auth`
  const read = new BoundedCache<Session>({ name: 'wallet-tokens', maxBytes: KEPT_BYTES, sizeOf: () => 500 })
  const verify = async (token: string): Promise<Session> => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      issuer,
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    })
    // Tokens of the interactive pages name an audience and are no wallet's session.
    if (payload.aud !== undefined) throw new Error('a token for something else')
    const principal = principalOf(payload.sub ?? '', payload.jti ?? '', payload.client_domain)
    return { principal, endsAt: (payload.exp ?? 0) * 1_000 }
  }
  return {
    issue: ({ account, memo, clientDomain, homeDomain, tokenId }, now) => {
      const seconds = Math.floor(now.getTime() / 1000)
      return signToken(key, {
        home_domain: homeDomain,
        ...(clientDomain === null ? {} : { client_domain: clientDomain }),
        iss: issuer,
        sub: memo === null ? account : `${account}:${memo}`,
        jti: tokenId,
        iat: seconds,
        exp: seconds + TOKEN_SECONDS,
      })
    },
    guard: async request => {
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
      if (!token) throw wants401(request) ? noToken() : notAuthenticated()
      const known = read.get(token)
      if (known && Date.now() < known.endsAt) return known.principal
      try {
        const session = await verify(token)
        read.set(token, session)
        return session.principal
      } catch {
        throw notAuthenticated('The token is not valid or has expired.')
      }
    },
  }
}

interface Session {
  principal: Principals['wallet']
  /** Milliseconds since 1970. */
  endsAt: number
}

/** SEP-12 names 401 for these, where the other SEPs name 403. */
const wants401 = ({ method, routeOptions }: FastifyRequest): boolean =>
  routeOptions.url === '/sep12/customer/callback' ||
  (method === 'DELETE' && routeOptions.url === '/sep12/customer/:account')

const noToken = () => new Problem('unauthenticated', 'Send a token from SEP-10 as Authorization: Bearer.')

function principalOf(subject: string, tokenId: string, clientDomain: unknown): Principals['wallet'] {
  const [account = '', memo] = subject.split(':')
  return {
    account,
    memo: memo ?? null,
    clientDomain: typeof clientDomain === 'string' ? clientDomain : null,
    tokenId,
  }
}
