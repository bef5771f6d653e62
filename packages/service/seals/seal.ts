import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { keyObjects } from './key-objects.ts'

/** Encryption at rest: AES-256-GCM under a versioned key, bound to where the text belongs (`context`). */
export interface Sealer {
  seal(text: string, context: string): Buffer
  /** Throws where key, context or bytes do not fit. */
  open(sealed: Buffer, context: string): string
}

/**
 * Reads `v2:<base64 of 32 bytes>,v1:<…>`: the first seals, all open. Rotation puts a new one in front; versions
 * go from 0 to 255. Throws on a key of another size or a version that comes twice.
 */
export function parseKeyring(text: string): Map<number, Buffer> {
  const keys = new Map<number, Buffer>()
  for (const part of text.split(',')) {
    const match = /^v(\d{1,3}):([A-Za-z0-9+/_-]{43}=?)$/.exec(part.trim())
    const key = Buffer.from(match?.[2] ?? '', 'base64')
    if (!match || key.length !== 32) throw new Error('a key must look like v1:<base64 of 32 bytes>')
    const version = Number(match[1])
    if (version > 255 || keys.has(version))
      throw new Error('each key needs a version of its own, at most v255')
    keys.set(version, key)
  }
  return keys
}

/**
 * Keys of an anchor's details that earlier releases derived from another of its secrets (RFC 5869). They only decrypt. The
 * SEP server's follows from the secret of wallets' tokens, the business server's from the one between the two.
 */
export const derivedKeys = {
  sep: { version: 1, derive: (tokenSecret: string) => derive(tokenSecret, 'windlass customer files') },
  business: { version: 0, derive: (linkSecret: string) => derive(linkSecret, 'anchor details') },
} as const

const derive = (secret: string, info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', info, 32))

const TAG = { authTagLength: 16 }

/** Layout: version (1 byte), nonce (12), tag (16), ciphertext. */
export function createSealer(given: Map<number, Buffer>): Sealer {
  const keys = keyObjects(given)
  const [newest] = keys
  if (!newest) throw new Error('at least one key is needed')
  return {
    seal(text, context) {
      const [version, key] = newest
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, TAG).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const key = keys.get(sealed[0] ?? -1)
      if (!key) throw new Error(`sealed under key v${sealed[0]}, which is not configured`)
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13), TAG)
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(13, 29))
      return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8')
    },
  }
}
