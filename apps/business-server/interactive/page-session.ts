import { PAGE_AUDIENCE, STATUS_AUDIENCE } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import { createHash, createSecretKey } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Tables } from '../tables.ts'

/** `full`: the browser that opened the interactive link. `view`: one that opened `more_info_url`. */
export type Access = 'full' | 'view'

/** A session lasts this long after the link was opened. */
const SESSION_SECONDS = 4 * 60 * 60
const SESSIONS = { full: 'interactive-session', view: 'interactive-view' } as const
const LINKS = { full: PAGE_AUDIENCE, view: STATUS_AUDIENCE } as const

interface Link {
  /** SHA-256 of the token. */
  hash: Buffer
  expiresAt: Date
}

/** The links' tokens and the cookie that follows, each for one transaction. */
interface PageSessions {
  /** Checks a link's token. Throws `unauthenticated`. */
  readLink(access: Access, transactionId: string, token: string): Promise<Link>
  /** Starts the browser's session for this transaction. */
  start(reply: FastifyReply, access: Access, transactionId: string, now: Date): Promise<void>
  /** What the browser's cookie allows for this transaction. Throws `unauthenticated` for less than `needed`. */
  require(request: FastifyRequest, transactionId: string, needed: Access): Promise<Access>
}

export function pageSessions({ secrets, anchor }: Config): PageSessions {
  const key = createSecretKey(Buffer.from(secrets.jwt))
  const secure = new URL(anchor.publicUrl).protocol === 'https:'
  const verify = async (token: string, audience: string, transactionId: string) => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience })
      return payload.jti === transactionId ? payload : null
    } catch {
      return null
    }
  }
  return {
    readLink: async (access, transactionId, token) => {
      const payload = await verify(token, LINKS[access], transactionId)
      if (!payload?.exp) throw notOpen()
      return { hash: createHash('sha256').update(token).digest(), expiresAt: new Date(payload.exp * 1000) }
    },
    start: async (reply, access, transactionId, now) => {
      const seconds = Math.floor(now.getTime() / 1000)
      const token = await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(SESSIONS[access])
        .setJti(transactionId)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + SESSION_SECONDS)
        .sign(key)
      reply.setCookie(cookieName(secure, access, transactionId), token, {
        path: secure ? '/' : '/interactive',
        httpOnly: true,
        sameSite: 'lax',
        secure,
        maxAge: SESSION_SECONDS,
      })
    },
    require: async (request, transactionId, needed) => {
      for (const access of ['full', 'view'] as const) {
        const token = request.cookies[cookieName(secure, access, transactionId)] ?? ''
        if (await verify(token, SESSIONS[access], transactionId)) return access
        if (access === needed) break
      }
      throw notOpen()
    },
  }
}

/** Marks an interactive link as opened. Throws `unauthenticated` if another browser opened it. */
export async function openLink(db: Db<Tables>, { hash, expiresAt }: Link): Promise<void> {
  const inserted = await db
    .insertInto('opened_links')
    .values({ hash, expires_at: expiresAt })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 1n) return
  throw new Problem(
    'unauthenticated',
    'This link was opened before. Open the transaction from your wallet again.',
  )
}

/** Removes links that have expired. */
export async function pruneLinks(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('opened_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}

/** Over https with the prefix by which browsers take the cookie from this very host only, and from no other anchor's. */
const cookieName = (secure: boolean, access: Access, transactionId: string) =>
  `${secure ? '__Host-' : ''}anchor_${access}_${transactionId}`

const notOpen = () =>
  new Problem('unauthenticated', 'This link has expired. Open the transaction from your wallet again.')
