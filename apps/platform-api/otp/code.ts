import { createHmac, randomInt } from 'node:crypto'
import type { CodeRealm } from '../tables.ts'

/** Six digits, each as likely. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

/** As people type it: "482 913" and "482-913" are the same code. */
export const readCode = (typed: string): string => typed.replace(/[\s-]/g, '')

/** The stored form, bound to realm and address, so that a row is useless elsewhere. */
export function codeHash(key: string, realm: CodeRealm, email: string, code: string): Buffer {
  return createHmac('sha256', key).update(`${realm}\n${email}\n${code}`).digest()
}
