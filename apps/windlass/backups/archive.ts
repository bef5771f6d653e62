import { createReadStream, createWriteStream, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { extract, pack } from 'tar-stream'

/** Who can read what is written (https://age-encryption.org): anyone with one of the keys, or with the passphrase. */
export type Lock = { recipients: readonly string[] } | { passphrase: string }
/** What opens it: the secret keys (`AGE-SECRET-KEY-…`), or the passphrase. */
export type Key = { identities: readonly string[] } | { passphrase: string }

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

/**
 * Writes an encrypted archive (tar, gzip, age). The file appears under its name once it is complete and on the disk.
 *
 * @param fill returns the file's name, which may depend on what was written
 * @returns its name
 */
export async function writeArchive(
  partial: string,
  lock: Lock,
  signal: AbortSignal,
  fill: (add: Add) => Promise<string>,
): Promise<string> {
  mkdirSync(dirname(partial), { recursive: true, mode: 0o700 })
  const archive = pack()
  const zipped = createGzip({ level: 1 })
  archive.on('error', error => zipped.destroy(error))
  const written = writeEncrypted(archive.pipe(zipped), partial, lock, signal)
  const filled = fill((path, content) => add(archive, path, content)).then(
    name => {
      archive.finalize()
      return name
    },
    (error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
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
    throw error
  }
}

async function add(archive: ReturnType<typeof pack>, path: string, content?: Parameters<Add>[1]) {
  if (content === undefined) return void archive.entry({ name: path, type: 'directory', mode: 0o700 })
  const chunks = Buffer.isBuffer(content) ? Readable.from([content]) : Readable.from(content.chunks)
  const size = Buffer.isBuffer(content) ? content.length : content.size
  await pipeline(chunks, archive.entry({ name: path, size, mode: 0o600 }))
}

/** Encrypts a stream into a file, which is on the disk when this resolves. */
export async function writeEncrypted(
  plain: Readable,
  file: string,
  lock: Lock,
  signal: AbortSignal,
): Promise<void> {
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
export async function openEncrypted(file: string, key: Key): Promise<Readable> {
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addPassphrase(key.passphrase)
  else for (const identity of key.identities) decrypter.addIdentity(identity)
  const source = createReadStream(file)
  try {
    const plain = await decrypter.decrypt(Readable.toWeb(source) as never)
    return Readable.fromWeb(plain as never as ReadableStream)
  } catch (error) {
    source.destroy()
    const message = error instanceof Error ? error.message : String(error)
    if (/no identity matched/.test(message))
      throw new Error(`${file} was encrypted for another key or passphrase.`, { cause: error })
    throw new Error(`${file} cannot be read: ${message}.`, { cause: error })
  }
}

/**
 * Hands each member to `visit`, which must read its content.
 *
 * @throws {Error} where the file is damaged or cut off
 */
export async function readArchive(
  file: string,
  key: Key,
  signal: AbortSignal,
  visit: (member: Member) => Promise<void>,
): Promise<void> {
  const plain = await openEncrypted(file, key)
  const members = extract()
  const read = (async () => {
    for await (const entry of members) {
      signal.throwIfAborted()
      const { name: path, type, size = 0 } = entry.header
      await visit({ path, folder: type === 'directory', size, content: entry as never as Readable })
      entry.resume()
    }
  })()
  const [unpacked, visited] = await Promise.allSettled([
    pipeline(plain, createGunzip(), members as never, { signal }),
    read,
  ])
  if (visited.status === 'rejected' && visited.reason instanceof RefusedError) throw visited.reason
  signal.throwIfAborted()
  const failed = [unpacked, visited].find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    const { code, message } = failed.reason as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw new Error('The disk is full.')
    throw new Error(`${file} is damaged or cut off: ${message}.`, { cause: failed.reason })
  }
}

/** A sound archive that cannot be used; the message says why. */
export class RefusedError extends Error {}

/** A new key pair: the secret key, and the public key that backups are encrypted for. */
export async function createKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/**
 * The secret keys in a file, one on a line, as age-keygen writes them.
 *
 * @throws {Error} where there is none.
 */
export function readKeyFile(file: string): Key {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  const identities = lines.map(line => line.trim()).filter(line => /^AGE-SECRET-KEY-/.test(line))
  if (identities.length === 0)
    throw new Error(`${file} has no key (a line that starts with AGE-SECRET-KEY-).`)
  return { identities }
}

/** @throws {Error} where the file is empty. */
export function readPassphraseFile(file: string): { passphrase: string } {
  const passphrase = readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? ''
  if (passphrase.length < 12) throw new Error(`The passphrase in ${file} has fewer than 12 characters.`)
  return { passphrase }
}
