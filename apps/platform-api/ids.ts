import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An opaque, unguessable id: a readable prefix and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

/** Anyone who has a job's id can read and retry it: 192 random bits. */
export const newJobId = (): string => randomBytes(24).toString('base64url')

const ANCHOR_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits, starting with a letter: it names databases, roles, folders and containers. */
export function newAnchorId(): string {
  const rest = Array.from({ length: 19 }, () => ANCHOR_ALPHABET[randomInt(36)])
  return `${ANCHOR_ALPHABET[randomInt(26)]}${rest.join('')}`
}

/** A bearer token of 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** How tokens are stored. They are random enough that a slow hash adds nothing. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
