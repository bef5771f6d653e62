import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Ed25519 (RFC 8410): what precedes the 32 bytes of a key in DER. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')
const PUBLIC_KEY = /^ed25519:[\w-]{43}$/

/** A new secret key for `BACKUP_SIGNING_KEY`: 32 bytes, base64url. */
export const createSigningKey = (): string => randomBytes(32).toString('base64url')

interface SigningVariables {
  BACKUP_SIGNING_KEY?: string
  BACKUP_SIGNING_KEY_FILE?: string
}

/** @throws {Error} where it is not set. */
export function signingKeyOf({
  BACKUP_SIGNING_KEY_FILE: file,
  BACKUP_SIGNING_KEY: key,
}: SigningVariables): string {
  if (file) return readFileSync(file, 'utf8').trim()
  if (key) return key
  throw new Error('BACKUP_SIGNING_KEY is not set: a backup has to prove which machine made it.')
}

/** Proves which machine made an archive. */
export interface Signature {
  /** `ed25519:` and 32 bytes, base64url. */
  signer: string
  /** Base64url. */
  signature: string
}

/** @throws {Error} where the secret key is none. */
export function signerOf(signingKey: string): string {
  const der = createPublicKey(privateKey(signingKey)).export({ type: 'spki', format: 'der' })
  return `ed25519:${der.subarray(PUBLIC_DER.length).toString('base64url')}`
}

export const isSigner = (text: string): boolean => PUBLIC_KEY.test(text)

function privateKey(signingKey: string): KeyObject {
  const seed = Buffer.from(signingKey, 'base64url')
  if (seed.length !== 32) throw new Error('BACKUP_SIGNING_KEY must be 32 bytes in base64url.')
  return createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' })
}

function publicKey(signer: string): KeyObject {
  const bytes = Buffer.from(signer.slice('ed25519:'.length), 'base64url')
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' })
}

/** Signs a text as what it is, such as `owner`, and nothing else. */
export function signText(subject: string, text: string, signingKey: string): Signature {
  const signature = sign(null, messageOf(subject, text), privateKey(signingKey)).toString('base64url')
  return { signer: signerOf(signingKey), signature }
}

/** Whether one of the signers signed this text. */
export function isTextSignedBy(
  signers: readonly string[],
  subject: string,
  text: string,
  given: Partial<Signature>,
): boolean {
  return isSigned(signers, messageOf(subject, text), given)
}

const messageOf = (subject: string, text: string): Buffer =>
  Buffer.from(`windlass-text/1\n${subject}\n${text}\n`)

function isSigned(
  signers: readonly string[],
  message: Buffer,
  { signer, signature }: Partial<Signature>,
): boolean {
  if (typeof signer !== 'string' || typeof signature !== 'string') return false
  if (!isSigner(signer) || !signers.includes(signer)) return false
  return verify(null, message, publicKey(signer), Buffer.from(signature, 'base64url'))
}

/** The content of an archive: each member's path and size, then its bytes. */
export class ContentDigest {
  #hash = createHash('sha512')
  #subject: string

  /** @param subject what the archive is, so that it cannot take another one's place */
  constructor(subject: string) {
    this.#subject = subject
  }

  member(path: string, size: number | 'folder'): void {
    this.#hash.update(`${JSON.stringify([path, size])}\n`)
  }

  async *content(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  sign(signingKey: string): Signature {
    const signature = sign(null, this.#message(), privateKey(signingKey)).toString('base64url')
    return { signer: signerOf(signingKey), signature }
  }

  /** Whether one of the signers signed this content. */
  isSignedBy(signers: readonly string[], given: Partial<Signature>): boolean {
    return isSigned(signers, this.#message(), given)
  }

  #message(): Buffer {
    return Buffer.from(`windlass-archive/1\n${this.#subject}\n${this.#hash.copy().digest('hex')}\n`)
  }
}
