import { PAGE_AUDIENCE } from '@windlass/contracts/anchor-platform.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import { createSecretKey } from 'node:crypto'
import type { Config } from '../config.ts'

const COOKIE = 'anchor_page'
const SESSION_AUDIENCE = 'interactive-session'
/** A page goes on this long after it was opened. */
const SESSION_SECONDS = 4 * 60 * 60

/** The links' tokens and the cookie that follows: each for one transaction. */
export interface PageSessions {
  /** Checks a link's token. Throws `unauthenticated`. */
  open(transactionId: string, token: string): Promise<void>
  /** Lets the browser go on with this transaction. */
  start(reply: FastifyReply, transactionId: string, now: Date): Promise<void>
  /** Throws `unauthenticated` unless the browser's cookie is for this transaction. */
  demand(request: FastifyRequest, transactionId: string): Promise<void>
}

export function pageSessions({ secrets, anchor }: Config): PageSessions {
  const key = createSecretKey(Buffer.from(secrets.jwt))
  const secure = new URL(anchor.publicUrl).protocol === 'https:'
  const check = async (token: string, audience: string, transactionId: string) => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience })
      if (payload.jti !== transactionId) throw new Error('another transaction')
    } catch {
      throw new Problem(
        'unauthenticated',
        'This link has expired. Open the transaction from your wallet again.',
      )
    }
  }
  return {
    open: (transactionId, token) => check(token, PAGE_AUDIENCE, transactionId),
    start: async (reply, transactionId, now) => {
      const seconds = Math.floor(now.getTime() / 1000)
      const token = await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(SESSION_AUDIENCE)
        .setJti(transactionId)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + SESSION_SECONDS)
        .sign(key)
      reply.setCookie(COOKIE, token, {
        path: `/interactive/t/${transactionId}`,
        httpOnly: true,
        sameSite: 'lax',
        secure,
        maxAge: SESSION_SECONDS,
      })
    },
    demand: (request, transactionId) => check(request.cookies[COOKIE] ?? '', SESSION_AUDIENCE, transactionId),
  }
}
