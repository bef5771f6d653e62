import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An opaque id that nobody guesses: a prefix for people and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

/** Whoever holds a job's id sees and retries it: 192 random bits. */
export const newJobId = (): string => randomBytes(24).toString('base64url')

const ANCHOR_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits only: it names databases, roles, folders and containers. A letter comes first. */
export function newAnchorId(): string {
  const rest = Array.from({ length: 19 }, () => ANCHOR_ALPHABET[randomInt(36)])
  return `${ANCHOR_ALPHABET[randomInt(26)]}${rest.join('')}`
}

/** A bearer token of 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Tokens are stored as this alone. They hold enough chance that a slow hash adds nothing. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
