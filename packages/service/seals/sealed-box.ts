import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

/*
 * Texts that only the holder of a private key opens: X25519 with a key made for each text, HKDF-SHA-256, AES-256-GCM.
 */

/** The kind of a sealed text and its keys, as both are written. */
const FORMAT = 'windlass-box-1'
const PRIVATE = 'windlass-private-key-1'

/** A pair of keys: anyone who has the public one seals, and the private one opens. */
export function generateBoxKeys(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return { publicKey: rawOf(publicKey).toString('base64url'), privateKey: `${PRIVATE}:${secret}` }
}

/** Whether a text is a public key of {@link generateBoxKeys}. */
export const isBoxKey = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text) && isKey(text)

export function sealFor(publicKey: string, text: string): string {
  const ours = generateKeyPairSync('x25519')
  const own = rawOf(ours.publicKey)
  const key = keyOf(ours.privateKey, keyFrom(publicKey), own, publicKey)
  // Each key is used once.
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [FORMAT, own.toString('base64url'), body.toString('base64url')].join('.')
}

/** Throws where the key does not fit. */
export function openBox(privateKey: string, box: string): string {
  const [kind, secret] = privateKey.trim().split(':')
  if (kind !== PRIVATE || !secret) throw new Error('this is no private key of an export')
  const [format, theirs, body] = box.trim().split('.')
  if (format !== FORMAT || !theirs || !body) throw new Error('this is nothing that was sealed for a key')
  const own = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
  const publicKey = rawOf(createPublicKey(own)).toString('base64url')
  const key = keyOf(own, keyFrom(theirs), Buffer.from(theirs, 'base64url'), publicKey)
  const bytes = Buffer.from(body, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.alloc(12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
}

/** The end of an X25519 public key in SubjectPublicKeyInfo (RFC 8410). */
const RAW_BYTES = 32
const SPKI_HEAD = Buffer.from('302a300506032b656e032100', 'hex')

const rawOf = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES) as Buffer

const keyFrom = (publicKey: string): KeyObject =>
  createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Buffer.from(publicKey, 'base64url')]),
    format: 'der',
    type: 'spki',
  })

function isKey(text: string): boolean {
  try {
    // A point of small order gives no secret.
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey: keyFrom(text) })
    return true
  } catch {
    return false
  }
}

/** Bound to both public keys, as HPKE does. */
function keyOf(privateKey: KeyObject, publicKey: KeyObject, sender: Buffer, receiver: string): Buffer {
  const shared = diffieHellman({ privateKey, publicKey })
  const salt = Buffer.concat([sender, Buffer.from(receiver, 'base64url')])
  return Buffer.from(hkdfSync('sha256', shared, salt, FORMAT, 32))
}
