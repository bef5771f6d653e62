import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { extract, pack } from 'tar-stream'
import { ContentDigest, isSigner, type Signature } from './signature.ts'

/** Who can read what is written (https://age-encryption.org): anyone with one of the keys, or with the passphrase. */
export type Lock = { recipients: readonly string[] } | { passphrase: string }
/**
 * What opens it: the secret keys (`AGE-SECRET-KEY-…`) and who must have signed it (`ed25519:…`), because anyone can encrypt
 * for a public key; or the passphrase, which anyone who encrypts must know.
 */
export type Key = { identities: readonly string[]; signers: readonly string[] } | { passphrase: string }

/** What an archive is: it is signed as that and nothing else. */
export type Subject = 'backup' | `log ${string}`

/** Adds a member: a folder, or a file with its size in bytes. */
export type Add = (
  path: string,
  content?: { size: number; chunks: AsyncIterable<Buffer> } | Buffer,
) => Promise<void>

/** A file in an archive that is read. */
export interface Member {
  path: string
  folder: boolean
  size: number
  content: Readable
}

interface ArchiveOptions {
  /** The file's name until it is complete. */
  partial: string
  subject: Subject
  lock: Lock
  /** `BACKUP_SIGNING_KEY` */
  signingKey: string
  signal: AbortSignal
}

/** The last member. */
const SIGNATURE = 'signature.json'
/** Limit of what is read into memory. */
const MAX_SMALL_BYTES = 2 ** 20

/**
 * Writes a signed and encrypted archive (tar, gzip, age). The file appears under its name once it is complete and on the
 * disk.
 *
 * @param fill returns the file's name, which may depend on what was written
 * @returns its name
 */
export async function writeArchive(
  { partial, subject, lock, signingKey, signal }: ArchiveOptions,
  fill: (add: Add) => Promise<string>,
): Promise<string> {
  makePrivateFolder(dirname(partial))
  const digest = new ContentDigest(subject)
  const archive = pack()
  const zipped = createGzip({ level: 1 })
  archive.on('error', error => zipped.destroy(error))
  const written = writeEncrypted(archive.pipe(zipped), partial, lock, signal)
  // Nobody reads on: what is added would wait without an end.
  written.catch((error: unknown) => archive.destroy(asError(error)))
  const filled = fill((path, content) => add(archive, digest, path, content)).then(
    async name => {
      await addSignature(archive, digest.sign(signingKey))
      archive.finalize()
      return name
    },
    (error: unknown) => {
      archive.destroy(asError(error))
      throw error
    },
  )
  try {
    const [name] = await Promise.all([filled, written])
    renameSync(partial, name)
    return name
  } catch (error) {
    await Promise.allSettled([filled, written])
    rmSync(partial, { force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new Error(
        `The disk of ${dirname(partial)} became full. Nothing was left there. Make room, then try again.`,
        { cause: error },
      )
    throw error
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

type Pack = ReturnType<typeof pack>

async function add(archive: Pack, digest: ContentDigest, path: string, content?: Parameters<Add>[1]) {
  if (content === undefined) {
    digest.member(path, 'folder')
    return void archive.entry({ name: path, type: 'directory', mode: 0o700 })
  }
  const chunks = Buffer.isBuffer(content) ? Readable.from([content]) : content.chunks
  const size = Buffer.isBuffer(content) ? content.length : content.size
  digest.member(path, size)
  await pipeline(Readable.from(digest.content(chunks)), archive.entry({ name: path, size, mode: 0o600 }))
}

async function addSignature(archive: Pack, signature: Signature): Promise<void> {
  const text = Buffer.from(JSON.stringify(signature))
  await pipeline(Readable.from([text]), archive.entry({ name: SIGNATURE, size: text.length, mode: 0o600 }))
}

/** Encrypts a stream into a file, which is on the disk when this resolves. */
async function writeEncrypted(plain: Readable, file: string, lock: Lock, signal: AbortSignal): Promise<void> {
  const encrypter = new Encrypter()
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase)
  else for (const recipient of lock.recipients) encrypter.addRecipient(recipient)
  const encrypted = await encrypter.encrypt(Readable.toWeb(plain) as never)
  const sink = createWriteStream(file, { mode: 0o600, flush: true })
  await pipeline(Readable.fromWeb(encrypted as never as ReadableStream), sink, { signal })
}

/**
 * The decrypted content of a file.
 *
 * @throws {Error} where no key opens it, or it is not such a file
 */
async function openEncrypted(file: string, key: Key): Promise<Readable> {
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addPassphrase(key.passphrase)
  else for (const identity of key.identities) decrypter.addIdentity(identity)
  requireShortHeader(file)
  const source = createReadStream(file)
  try {
    const plain = await decrypter.decrypt(Readable.toWeb(source) as never)
    return Readable.fromWeb(plain as never as ReadableStream)
  } catch (error) {
    source.destroy()
    const message = error instanceof Error ? error.message : String(error)
    // oxlint-disable-next-line compared-sentences/by-codes -- age gives no code.
    if (/no identity matched/.test(message))
      throw new Error(`${file} was encrypted for another key or passphrase.`, { cause: error })
    throw new Error(`${file} cannot be read: ${message}.`, { cause: error })
  }
}

/** The header of an age file is read into memory. */
function requireShortHeader(file: string): void {
  const head = Buffer.alloc(MAX_SMALL_BYTES)
  const descriptor = openSync(file, 'r')
  const bytes = readSync(descriptor, head, 0, head.length, 0)
  closeSync(descriptor)
  if (!head.subarray(0, bytes).includes('\n--- '))
    throw new Error(`${file} cannot be read: it does not begin as an encrypted file does.`)
}

/**
 * Reads an archive to its end without keeping anything of it. Anyone who can write to the storage can put a file there that
 * fills memory or disk when it is unpacked, and its signature comes last.
 *
 * @throws {Error} where the file is damaged or cut off
 * @throws {RefusedError} where none of the key's signers signed it
 */
export async function checkArchive(
  file: string,
  key: Key,
  subject: Subject,
  signal: AbortSignal,
): Promise<void> {
  const drain = async ({ content }: Member): Promise<void> => {
    for await (const _ of content);
  }
  await readArchive(file, key, subject, signal, drain)
}

/**
 * The content of a member, in memory.
 *
 * @throws {RefusedError} where it has more than 1 MiB
 */
export async function readSmall({ path, size, content }: Omit<Member, 'folder'>): Promise<Buffer> {
  if (size > MAX_SMALL_BYTES) throw new RefusedError(`${path} in the archive has more than 1 MiB.`)
  return Buffer.concat(await content.toArray())
}

/**
 * Hands each member to `visit`, which must read its content. Use nothing of it before this resolves: the signature is
 * checked last. {@link checkArchive} comes first where much is unpacked.
 *
 * @throws {Error} where the file is damaged or cut off
 * @throws {RefusedError} where none of the key's signers signed what was read
 */
export async function readArchive(
  file: string,
  key: Key,
  subject: Subject,
  signal: AbortSignal,
  visit: (member: Member) => Promise<void>,
): Promise<void> {
  const plain = await openEncrypted(file, key)
  const members = extract()
  const digest = new ContentDigest(subject)
  const read = (async () => {
    let signature: Partial<Signature> | undefined
    for await (const entry of members) {
      signal.throwIfAborted()
      const { name: path, type, size = 0 } = entry.header
      const folder = type === 'directory'
      const chunks = entry as never as AsyncIterable<Buffer>
      if (signature) throw new RefusedError(`${file} contains ${path} after its signature.`)
      if (path === SIGNATURE) {
        signature = parseSignature(await readSmall({ path, size, content: Readable.from(chunks) }))
        continue
      }
      digest.member(path, folder ? 'folder' : size)
      await visit({ path, folder, size, content: Readable.from(digest.content(chunks)) })
      entry.resume()
    }
    if (!('identities' in key)) return
    if (!signature) throw new RefusedError(`${file} is not signed. ${WHO_SIGNS}`)
    if (digest.isSignedBy(key.signers, signature)) return
    throw new RefusedError(
      `${file} was not signed by ${key.signers.join(' or ')}, but by ${signature.signer ?? 'nobody'}, or was changed. ${WHO_SIGNS}`,
    )
  })()
  const [unpacked, visited] = await Promise.allSettled([
    pipeline(plain, createGunzip(), members as never, { signal }),
    read,
  ])
  if (visited.status === 'rejected' && visited.reason instanceof RefusedError) throw visited.reason
  signal.throwIfAborted()
  const failures = [unpacked, visited].flatMap(each =>
    each.status === 'rejected' ? [each.reason as NodeJS.ErrnoException] : [],
  )
  if (failures.some(({ code }) => code === 'ENOSPC')) throw new Error('The disk is full.')
  const [failure, visitors] = failures
  // The visitor gave up first, for a reason of its own: the file may be sound.
  if (failure?.code === 'ERR_STREAM_PREMATURE_CLOSE' && visitors) throw visitors
  if (failure) throw new Error(`${file} is damaged or cut off: ${failure.message}.`, { cause: failure })
}

const WHO_SIGNS = 'Anyone who has the public key can make such a file.'

/** An object, whatever the text is. */
function parseSignature(text: Buffer): Partial<Signature> {
  try {
    return { ...(JSON.parse(text.toString()) as Partial<Signature>) }
  } catch {
    return {}
  }
}

/** A sound archive that cannot be used; the message says why. */
export class RefusedError extends Error {}

/** A new key pair: the secret key, and the public key that backups are encrypted for. */
export async function createKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** The public keys for what these secret keys open. */
export const recipientsOf = (identities: readonly string[]): Promise<string[]> =>
  Promise.all(identities.map(identity => identityToRecipient(identity)))

/** The first of these that is no public key; undefined: all are. */
export function wrongRecipient(recipients: readonly string[]): string | undefined {
  return recipients.find(recipient => {
    try {
      new Encrypter().addRecipient(recipient)
      return !recipient.startsWith('age1')
    } catch {
      return true
    }
  })
}

/** The line of a key file that names who signs the backups. */
export const signerLine = (signer: string): string => `signed-by ${signer}`

/**
 * The secret keys in a file, one on a line as age-keygen writes them, and lines with who signs the backups.
 *
 * @throws {Error} where there is none.
 */
export function readKeyFile(file: string): { identities: string[]; signers: string[] } {
  const lines = readGiven(file)
    .split(/\r?\n/)
    .map(line => line.trim())
  const identities = lines.filter(line => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0)
    throw new Error(`${file} has no key (a line that starts with AGE-SECRET-KEY-).`)
  const signers = lines.flatMap(line => /^#? ?signed-by (\S+)$/.exec(line)?.[1] ?? [])
  const wrong = signers.find(signer => !isSigner(signer))
  if (wrong) throw new Error(`${file}: ${wrong} is not a public key such as ed25519:….`)
  return { identities, signers }
}

/** @throws {Error} where the file is empty. */
export function readPassphraseFile(file: string): { passphrase: string } {
  const passphrase = readGiven(file).split(/\r?\n/)[0] ?? ''
  if (passphrase.length < 12) throw new Error(`The passphrase in ${file} has fewer than 12 characters.`)
  return { passphrase }
}

function readGiven(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new Error(`${file} cannot be read: ${why}.`, { cause: error })
  }
}
