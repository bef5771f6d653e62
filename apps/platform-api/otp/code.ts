import { createHmac, randomInt } from 'node:crypto'
import type { CodePurpose, CodeRealm } from '../sign-in-tables.ts'

/** What a code is good for. It is refused for everything else, and everywhere else. */
export interface CodeUse {
  realm: CodeRealm
  purpose: CodePurpose
  /** The anchor whose page asks for the code; null: our own pages. */
  anchorId: string | null
}

/** How a code's place is stored. */
export const placeOf = ({ anchorId }: CodeUse): string => anchorId ?? ''

/** Six digits, each as likely. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

/** As people type it: "482 913" and "482-913" are the same code. */
export const readCode = (typed: string): string => typed.replace(/[\s-]/g, '')

/** The stored form, bound to address and use, so that a row is useless elsewhere. */
export function codeHash(key: string, use: CodeUse, email: string, code: string): Buffer {
  return createHmac('sha256', key)
    .update([use.realm, use.purpose, placeOf(use), email, code].join('\n'))
    .digest()
}
