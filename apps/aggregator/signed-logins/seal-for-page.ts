import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

const CURVE = 'prime256v1'

/** Whether the bytes are a point of P-256, for which something can be encrypted. */
export function isPoint(bytes: Buffer): boolean {
  const own = createECDH(CURVE)
  own.generateKeys()
  try {
    own.computeSecret(bytes)
    return true
  } catch {
    return false
  }
}

/** Encrypts a text for the holder of a key, and for this id only. The contract says how it is opened. */
export function sealForPage(publicKey: Buffer, id: string, text: string): Buffer {
  const own = createECDH(CURVE)
  own.generateKeys()
  const shared = own.computeSecret(publicKey)
  const key = Buffer.from(hkdfSync('sha256', shared, '', `windlass signed login ${id}`, 32))
  const vector = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, vector)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([own.getPublicKey(), vector, body])
}
