import type { Principals } from '@windlass/contracts/realm.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import { createSecretKey } from 'node:crypto'
import { notAuthenticated } from '../errors.ts'

/** A wallet's session from SEP-10: one day. */
const TOKEN_SECONDS = 24 * 60 * 60

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
  issue(session: WalletSession, now: Date): Promise<string>
  guard: Guard<'wallet'>
}

/** Tokens as SEP-10 describes them: iss, sub (`G…`, `G…:memo` or `M…`), iat, exp, jti, client_domain. */
export function walletTokens(secret: string, publicUrl: string): WalletTokens {
  const key = createSecretKey(Buffer.from(secret))
  const issuer = `${publicUrl}/auth`
  return {
    issue: ({ account, memo, clientDomain, homeDomain, tokenId }, now) => {
      const seconds = Math.floor(now.getTime() / 1000)
      return new SignJWT({
        home_domain: homeDomain,
        ...(clientDomain === null ? {} : { client_domain: clientDomain }),
      })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(memo === null ? account : `${account}:${memo}`)
        .setJti(tokenId)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + TOKEN_SECONDS)
        .sign(key)
    },
    guard: async request => {
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
      if (!token) throw wants401(request) ? noToken() : notAuthenticated()
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        })
        // Tokens of the interactive pages name an audience and are no wallet's session.
        if (payload.aud !== undefined) throw new Error('a token for something else')
        return principalOf(payload.sub ?? '', payload.jti ?? '', payload.client_domain)
      } catch {
        throw notAuthenticated('The token is not valid or has expired.')
      }
    },
  }
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
