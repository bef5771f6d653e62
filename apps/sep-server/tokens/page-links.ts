import { PAGE_AUDIENCE, STATUS_AUDIENCE } from '@windlass/contracts/anchor/anchor-platform.ts'
import { createSecretKey, randomUUID } from 'node:crypto'
import type { Transaction } from '../tables.ts'
import { signToken } from './sign-token.ts'

/** The link must be opened within this time; the page then has its own session. */
const LINK_SECONDS = 60 * 60

export interface PageLinks {
  /** The page on which the customer continues the transaction. It can be opened once. */
  interactiveUrl(row: Transaction, now: Date): string
  /** The page that shows the transaction and changes nothing. */
  moreInfoUrl(row: Transaction, now: Date): string
}

/** Links to the business server's pages, each with a token for one transaction. */
export function pageLinks(secret: string, publicUrl: string): PageLinks {
  const key = createSecretKey(Buffer.from(secret))
  const link = (
    page: string,
    audience: string,
    claims: Record<string, string>,
    row: Transaction,
    now: Date,
  ) => {
    const seconds = Math.floor(now.getTime() / 1000)
    const token = signToken(key, {
      ...claims,
      iss: publicUrl,
      aud: audience,
      sub: row.account_memo === null ? row.account : `${row.account}:${row.account_memo}`,
      jti: row.id,
      iat: seconds,
      exp: seconds + LINK_SECONDS,
    })
    // Neither an id nor a token has anything to encode.
    const lang = row.lang ? `&lang=${encodeURIComponent(row.lang)}` : ''
    return `${publicUrl}/interactive/${page}?transaction_id=${row.id}&token=${token}${lang}`
  }
  return {
    interactiveUrl: (row, now) => link('start', PAGE_AUDIENCE, { nonce: randomUUID() }, row, now),
    moreInfoUrl: (row, now) => link('more-info', STATUS_AUDIENCE, {}, row, now),
  }
}
