import { createWriteStream } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { prepareBinaries } from '@windlass/postgres/binaries.ts'
import type { DataPlace } from '@windlass/postgres/data-folder.ts'
import {
  HISTORY_NAME,
  historyOf,
  parseHistory,
  SEGMENT_BYTES,
  SEGMENT_NAME,
} from '@windlass/postgres/log-segments.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { type Key, type Member, readArchive, readSmall, RefusedError } from './archive.ts'
import { type LogFile, type LogPlan, planLog } from './log-plan.ts'
import { isMarkSignedBy, type Mark, MARK_FILE, parseMark } from './mark.ts'
import {
  type BackupEnd,
  LOG_MEMBER,
  logSubject,
  type Manifest,
  requireOwnName,
  requireSpace,
  WAL_SUFFIX,
  walFolder,
} from './shelf.ts'
import type { Store } from './store.ts'

/** What is read into memory. */
const SMALL: ReadonlySet<string> = new Set(['settings/base.env', 'settings/effective.env', 'end.json'])

/** The content of a backup; its data is in the folder. */
interface Unpacked {
  manifest: Manifest
  end: BackupEnd
  files: Map<string, Buffer>
}

/** Unpacks a backup's data into a folder. */
export async function unpack(
  file: string,
  key: Key,
  { folder, account }: DataPlace,
  signal: AbortSignal,
): Promise<Unpacked> {
  const files = new Map<string, Buffer>()
  let manifest: Manifest | undefined
  await readArchive(file, key, 'backup', signal, async member => {
    if (member.path === 'manifest.json') {
      manifest = readManifest(await readSmall(member))
      const { majorVersion } = prepareBinaries(account, folder)
      if (manifest.postgres !== majorVersion)
        throw new RefusedError(
          `${file} needs Postgres ${manifest.postgres}; this release has ${majorVersion}.`,
        )
      requireSpace(folder, manifest.bytes)
      makePrivateFolder(folder)
    } else if (manifest === undefined) throw new RefusedError(`${file} is not a Windlass backup.`)
    else if (member.path.startsWith('data/')) await placeMember(folder, member, 'data/')
    else if (member.path.startsWith('exports/')) await placeMember(`${folder}.exports`, member, 'exports/')
    else if (SMALL.has(member.path)) files.set(member.path, await readSmall(member))
    else throw new RefusedError(`${file} contains ${member.path}, which this release does not know.`)
  })
  const end = files.get('end.json')
  if (manifest === undefined || end === undefined) throw new Error(`${file} is incomplete.`)
  const range = JSON.parse(end.toString()) as BackupEnd
  requireOwnName(file, range.endedAt)
  return { manifest, end: range, files }
}

function readManifest(bytes: Buffer): Manifest {
  const manifest = JSON.parse(bytes.toString()) as Manifest
  if (manifest.format === 'windlass-backup/1') return manifest
  throw new RefusedError(
    `The backup has the format ${String(manifest.format)}, which this release cannot read.`,
  )
}

async function placeMember(
  folder: string,
  { path, folder: isFolder, content }: Member,
  prefix: string,
): Promise<void> {
  const target = resolve(folder, path.slice(prefix.length))
  if (target !== folder && !target.startsWith(folder + sep))
    throw new RefusedError(`The backup contains a file outside of its folder: ${path}.`)
  if (isFolder) return void makePrivateFolder(target)
  makePrivateFolder(dirname(target))
  await pipeline(content, createWriteStream(target, { mode: 0o600 }))
}

/** Where a log is read from. */
export interface LogSource {
  store: Store
  key: Key
  signal: AbortSignal
  /** The timeline to follow in place of the owner's. */
  timeline?: number
  step(what: string): void
}

/** Chooses the part of the stored log that continues a backup. */
export async function chooseLog({ manifest, end }: Unpacked, source: LogSource): Promise<LogPlan> {
  const { store, timeline, step } = source
  const files = await listLog(store, manifest.systemId)
  const mark = await readMark(source)
  if (!mark && files.length > 0)
    step(`${store.pathOf()} has no mark of its owner: nothing says where its log has to end`)
  const isOther = timeline !== undefined && timeline !== end.timeline
  const history = isOther ? await readHistory(manifest.systemId, timeline, source) : []
  return planLog({ backup: { ...manifest, ...end }, files, mark, timeline, history })
}

/** Puts files of the log beside the data: the history of its timeline, and segments. */
export async function unpackLog(
  folder: string,
  { systemId }: Manifest,
  { segments, timeline }: Pick<LogPlan, 'segments' | 'timeline'>,
  source: LogSource,
): Promise<void> {
  requireSpace(folder, segments.length * SEGMENT_BYTES)
  const files = await listLog(source.store, systemId)
  const histories = files.map(({ name }) => name).filter(name => name === historyOf(timeline))
  for (const name of [...histories, ...segments]) {
    source.signal.throwIfAborted()
    const target = join(folder, 'pg_wal', name)
    await readLogFile(systemId, name, source, content =>
      pipeline(content, createWriteStream(target, { mode: 0o600 }), { signal: source.signal }),
    )
  }
}

/** Names in a store are anyone's who can write there. */
async function listLog(store: Store, systemId: string): Promise<LogFile[]> {
  const log = walFolder(systemId)
  return (await store.list(log))
    .filter(({ name }) => name.endsWith(WAL_SUFFIX))
    .map(({ name, storedAt }) => ({ name: name.slice(log.length, -WAL_SUFFIX.length), storedAt }))
    .filter(({ name }) => SEGMENT_NAME.test(name) || HISTORY_NAME.test(name))
}

/** Hands over the content of a stored file, whose signature is checked by the end. */
export async function readLogFile(
  systemId: string,
  name: string,
  { store, key, signal }: LogSource,
  use: (content: Member['content']) => Promise<void>,
): Promise<void> {
  const visit = async ({ path, size, content }: Member) => {
    if (path !== LOG_MEMBER || size > SEGMENT_BYTES)
      throw new RefusedError(`${name} is not a file of a write-ahead log.`)
    await use(content)
  }
  const subject = logSubject(systemId, name)
  await store.read(`${walFolder(systemId)}${name}${WAL_SUFFIX}`, file =>
    readArchive(file, key, subject, signal, visit),
  )
}

async function readHistory(systemId: string, timeline: number, source: LogSource) {
  let text = ''
  await readLogFile(systemId, historyOf(timeline), source, async content => {
    text = Buffer.concat(await content.toArray()).toString()
  })
  return parseHistory(text)
}

/** One that the key's signers did not sign says nothing: anyone who can write there could have put it there. */
async function readMark({ store, key, step }: LogSource): Promise<Mark | undefined> {
  const text = await store.readText(MARK_FILE)
  if (text === undefined) return undefined
  const signed = parseMark(text)
  if (signed && (!('identities' in key) || isMarkSignedBy(key.signers, signed))) return signed.mark
  step(
    `${store.pathOf(MARK_FILE)} was not signed by ${'signers' in key ? key.signers.join(' or ') : 'anyone'}: it is not used`,
  )
  return undefined
}
