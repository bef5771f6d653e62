import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { proxiedAgent } from '@windlass/service/outbound/proxy.ts'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { requireSpace } from './shelf.ts'
import { MOST_TEXT_BYTES, type Bucket, type Store, type StoredFile } from './store.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'

const PART_BYTES = 16 * 2 ** 20
/** An upload has at most 10,000 parts. */
const MOST_PARTS = 9_000
/** A download that breaks off begins again so often. */
const DOWNLOADS = 3
/** Metadata of each object. */
const SENT_BYTES = 'sent-bytes'
/** How long a connection may say nothing. */
const SILENT_MS = 20_000

/**
 * A bucket of S3, or of what speaks its protocol.
 *
 * @param scratch the folder of files that are being written or read
 */
export function bucketStore(at: Bucket, scratch: () => string, silentMs = SILENT_MS): Store {
  const { bucket, prefix, endpoint } = at
  const client = clientOf(at, silentMs)
  const objectOf = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  const pathOf = (name = ''): string => `s3://${bucket}/${prefix}${name}`.replace(/\/$/, '')
  const explained = <T>(act: Promise<T>, name?: string): Promise<T> =>
    act.catch((error: unknown) => {
      throw new Error(`${pathOf(name)}: ${reasonOf(error, bucket, endpoint)}`, { cause: error })
    })
  /** How many bytes of a file it has, and was sent. */
  const measure = async (name: string) => {
    const { ContentLength: kept, Metadata } = await client.send(new HeadObjectCommand(objectOf(name)))
    return { kept, sent: Metadata?.[SENT_BYTES] }
  }
  const local = (name: string): string => {
    const file = join(scratch(), name)
    makePrivateFolder(dirname(file))
    return file
  }
  const remove = (name: string) => explained(client.send(new DeleteObjectCommand(objectOf(name))), name)

  /** Parts of an incomplete upload are stored and paid for. Where this fails, a rule of the bucket removes them. */
  const forgetParts = async (name: string, uploadId: string | undefined): Promise<void> => {
    const parts = { ...objectOf(name), UploadId: uploadId }
    if (uploadId) await client.send(new AbortMultipartUploadCommand(parts)).catch(() => undefined)
  }
  const upload = async (name: string, file: string, signal: AbortSignal): Promise<void> => {
    const { size } = statSync(file)
    const partSize = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS))
    const Metadata = { [SENT_BYTES]: String(size) }
    const params = { ...objectOf(name), Metadata, Body: createReadStream(file) }
    const uploading = new Upload({ client, params, partSize, queueSize: 2, leavePartsOnError: true })
    const abort = () => void uploading.abort()
    signal.addEventListener('abort', abort)
    try {
      await uploading.done()
    } catch (error) {
      await forgetParts(name, uploading.uploadId)
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
    const { kept } = await measure(name)
    if (kept === size) return
    // Where this is refused, `has` still says that it is not there.
    await remove(name).catch(() => undefined)
    throw new Error(`it kept ${kept} of ${size} bytes`)
  }
  const download = async (name: string, file: string, left = DOWNLOADS): Promise<void> => {
    try {
      const { Body, ContentLength: size } = await client.send(new GetObjectCommand(objectOf(name)))
      if (!(Body instanceof Readable)) throw new Error('it sent nothing')
      requireSpace(dirname(file), size ?? 0)
      await pipeline(Body, createWriteStream(file, { mode: 0o600 }))
      const { size: received } = statSync(file)
      if (size !== received) throw new Error(`it sent ${received} of ${size} bytes`)
    } catch (error) {
      if (left === 1 || error instanceof S3ServiceException) throw error
      await download(name, file, left - 1)
    }
  }
  const readText = async (name: string): Promise<string | undefined> => {
    try {
      const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand(objectOf(name)))
      if (ContentLength > MOST_TEXT_BYTES) throw new Error('it is too large')
      return await Body?.transformToString()
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined
      throw error
    }
  }
  const writeText = async (name: string, text: string, isNew = false): Promise<boolean> => {
    const Metadata = { [SENT_BYTES]: String(Buffer.byteLength(text)) }
    const params = { ...objectOf(name), Metadata, Body: text }
    try {
      await client.send(new PutObjectCommand(isNew ? { ...params, IfNoneMatch: '*' } : params))
      return true
    } catch (error) {
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
      // It is there, or is being written by another one.
      if (isNew && (status === 412 || status === 409)) return false
      // Not every store can write only where nothing is. Who writes reads it again, and finds another one's.
      if (isNew && status === 501) return writeText(name, text)
      throw error
    }
  }
  return {
    pathOf,
    local,
    readText: name => explained(readText(name), name),
    writeText: (name, text, isNew) => explained(writeText(name, text, isNew), name),
    remove: async name => void (await remove(name)),
    list: start => explained(listAll(client, bucket, prefix, start)),
    has: name =>
      explained(
        // Earlier releases did not note what they sent.
        measure(name).then(({ kept, sent = String(kept) }) => sent === String(kept), isAbsent),
        name,
      ),
    put: async (name, signal) => {
      try {
        await explained(upload(name, local(name), signal), name)
      } finally {
        rmSync(local(name), { force: true })
      }
    },
    read: async (name, use) => {
      const file = local(name)
      try {
        await explained(download(name, file), name)
        return await use(file)
      } finally {
        rmSync(file, { force: true })
      }
    },
  }
}

function clientOf({ endpoint, region, credentials }: Bucket, silentMs: number): S3Client {
  return new S3Client({
    region,
    credentials,
    // Other stores than AWS' own have no host for each bucket.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Older stores know no checksums in trailers; the signature of each file is checked when it is read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: silentMs, httpsAgent: proxiedAgent() },
  })
}

async function listAll(
  client: S3Client,
  bucket: string,
  prefix: string,
  start: string,
): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  const input = { Bucket: bucket, Prefix: prefix + start }
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, input)) {
    for (const { Key = '', Size: bytes = 0, LastModified: storedAt = new Date(0) } of Contents) {
      const name = Key.slice(prefix.length)
      if (isPlain(name)) files.push({ name, bytes, storedAt })
    }
  }
  return files
}

/** Whether a name can become that of a local file: anyone who can write to the bucket chooses names. */
const isPlain = (name: string): boolean => name.split('/').every(part => /^[\w-][\w.-]*$/.test(part))

function isAbsent(error: unknown): boolean {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return false
  throw error
}

const REFUSED = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied', 'Forbidden', '403'])

/** What happened, and what to do about it. */
function reasonOf(error: unknown, bucket: string, endpoint = 'AWS'): string {
  if (!(error instanceof S3ServiceException)) {
    const { code, name, message } = error as NodeJS.ErrnoException
    // oxlint-disable-next-line compared-sentences/by-codes -- the client gives no code for these.
    const isConnection = code !== undefined || /timed? ?out|socket hang up|aborted/i.test(message)
    return isConnection ? `${endpoint} cannot be reached or does not answer (${code ?? name})` : message
  }
  const { name, $metadata } = error
  if (REFUSED.has(name) || $metadata.httpStatusCode === 403)
    return `${endpoint} refuses it (${name === 'Unknown' ? 403 : name}). See that BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY are right and may list, read, write and remove objects of the bucket.`
  if (name === 'NoSuchBucket')
    return `there is no bucket ${bucket} at ${endpoint}. Create it, or correct BACKUP_TO.`
  if (name === 'NoSuchKey' || name === 'NotFound') return 'it is not there'
  return `${endpoint} answered ${$metadata.httpStatusCode ?? 'wrongly'} (${name})`
}
