import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, COPY_FOLDER } from '@windlass/postgres/base-backup.ts'
import { HISTORY_NAME, SEGMENT_NAME, timelineOf } from '@windlass/postgres/log-segments.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import { type Mark, MARK_FILE, parseMark, printMark } from './mark.ts'
import { listBackups, WAL_SUFFIX, walFolder } from './shelf.ts'
import type { Store } from './store.ts'

/** A place, and the databases that are backed up there. */
interface At {
  store: Store
  dataFolder: string
}

/** A stack that may write at a place. */
export interface Owner extends At {
  cluster: Cluster
  /** `BACKUP_SIGNING_KEY` */
  signingKey: string
}

/** What a copy of the databases knows about a place of its own, in its data folder. */
interface Claim {
  owner: string
  place: string
  /** That it may have written, newest last: of the last one it is not known whether it arrived. */
  renewals: string[]
  /** Whether its mark is known to be there. */
  isMarked: boolean
}

/** Whose a place is, as the databases that are to be backed up there see it. */
type Ownership =
  | { state: 'own'; mark: Mark; claim: Claim }
  | { state: 'free' }
  /** It had this stack's mark and has none now. */
  | { state: 'lost' }
  /** Undefined: what is there is no mark. */
  | { state: 'foreign'; mark: Mark | undefined }

/** This stack may not write there; the message says why and what to do. */
export class NotOwnPlaceError extends Error {
  /** Whether it is another stack's, and not one that is out of reach for a while. */
  readonly isForeign: boolean
  constructor(message: string, { isForeign }: { isForeign: boolean }) {
    super(message)
    this.isForeign = isForeign
  }
}

const CLAIM_FILE = /^[\w-]{16,64}\.json$/
/** Renewals that may still arrive late. */
const KNOWN_RENEWALS = 20

/** Says whose a place is. Nothing is written. */
export async function ownershipOf({ store, dataFolder }: At, tries = 5): Promise<Ownership> {
  const text = await store.readText(MARK_FILE)
  const claims = readClaims(dataFolder)
  if (text === undefined) {
    const isLost = claims.some(({ place, isMarked }) => isMarked && place === store.pathOf())
    return { state: isLost ? 'lost' : 'free' }
  }
  const mark = parseMark(text)?.mark
  const claim = claims.find(({ owner }) => owner === mark?.owner)
  if (mark && claim?.renewals.includes(mark.renewal)) return { state: 'own', mark, claim }
  // Another process of this stack may have renewed it between the two.
  if (!claim || tries === 0) return { state: 'foreign', mark }
  await sleep(50)
  return ownershipOf({ store, dataFolder }, tries - 1)
}

/**
 * The place's mark. A place without one becomes this stack's.
 *
 * @throws {NotOwnPlaceError} where it belongs to another stack, another copy of this one, or may do so
 */
export async function requireOwnPlace(at: Owner): Promise<Mark> {
  const found = await ownershipOf(at)
  if (found.state === 'own') return remember(at, found)
  if (found.state !== 'free') throw notOwn(at.store, found)
  await requireNothingOfOthers(at)
  await claimPlace(at)
  // One of several who claim it gets it.
  const claimed = await ownershipOf(at)
  if (claimed.state === 'own') return remember(at, claimed)
  throw notOwn(at.store, claimed)
}

/** @throws {NotOwnPlaceError} as {@link requireOwnPlace}, for what {@link ownershipOf} said */
export function notOwn(store: Store, found: Ownership): NotOwnPlaceError {
  const place = store.pathOf()
  if (found.state === 'lost')
    return new NotOwnPlaceError(
      `${place} no longer has the mark of this stack (${MARK_FILE}). See that its disk is mounted and the address is right. If it was emptied on purpose, name a new folder, such as ${place}-2.`,
      { isForeign: false },
    )
  const mark = found.state === 'foreign' ? found.mark : undefined
  const whose = mark
    ? `belongs to another stack or another copy of this one, which wrote there at ${mark.renewedAt} on ${mark.machine}`
    : `has a mark (${MARK_FILE}) that cannot be read`
  return new NotOwnPlaceError(`${place} ${whose}. Nothing is written there. ${OWN_PLACE}`, {
    isForeign: true,
  })
}

const OWN_PLACE =
  'A restored stack needs a place of its own: name an empty folder, in BACKUP_TO for the schedule or with --to.'

let renewing: Promise<unknown> = Promise.resolve()

/**
 * Writes at the place that this stack still has it, and what is stored there. One renewal at a time.
 *
 * @throws {NotOwnPlaceError} where it no longer has it
 */
export function renewMark(at: Owner, news: Partial<Pick<Mark, 'log' | 'backup'>>): Promise<void> {
  const renewal = renewing.then(() => renewNow(at, news))
  renewing = renewal.catch(() => undefined)
  return renewal
}

async function renewNow(at: Owner, news: Partial<Pick<Mark, 'log' | 'backup'>>): Promise<void> {
  const found = await ownershipOf(at)
  if (found.state !== 'own') throw notOwn(at.store, found)
  const next = { ...found.mark, ...news, ...fresh() }
  const renewals = [...found.claim.renewals, next.renewal].slice(-KNOWN_RENEWALS)
  writeClaim(at.dataFolder, { ...found.claim, renewals })
  await at.store.writeText(MARK_FILE, printMark(next, at.signingKey))
}

const fresh = (): Pick<Mark, 'renewal' | 'renewedAt'> => ({
  renewal: random(),
  renewedAt: new Date().toISOString(),
})
const random = (): string => randomBytes(18).toString('base64url')

async function claimPlace({ store, dataFolder, cluster, signingKey }: Owner): Promise<void> {
  const mark: Mark = {
    format: 'windlass-owner/1',
    owner: random(),
    ...fresh(),
    machine: hostname().replaceAll(/[^\w.-]/g, '-') || 'unknown',
    ...cluster,
  }
  const { owner, renewal } = mark
  writeClaim(dataFolder, { owner, place: store.pathOf(), renewals: [renewal], isMarked: false })
  await store.writeText(MARK_FILE, printMark(mark, signingKey), true)
}

/** From now on its absence is noticed. */
function remember(at: At, { mark, claim }: { mark: Mark; claim: Claim }): Mark {
  const place = at.store.pathOf()
  if (!claim.isMarked || claim.place !== place) writeClaim(at.dataFolder, { ...claim, place, isMarked: true })
  return mark
}

/**
 * A place that a release without marks wrote to. It is this stack's where nothing there can be another one's: a log of
 * another cluster or timeline, or backups that a restored stack did not make.
 *
 * @throws {NotOwnPlaceError}
 */
async function requireNothingOfOthers({ store, cluster }: Owner): Promise<void> {
  const log = (await store.list('wal/')).map(({ name }) => name)
  const own = walFolder(cluster.systemId)
  const isOwn = (name: string) => {
    const file = name.slice(own.length, -WAL_SUFFIX.length)
    if (!name.startsWith(own) || !name.endsWith(WAL_SUFFIX)) return false
    if (HISTORY_NAME.test(file)) return timelineOf(file) <= cluster.timeline
    return SEGMENT_NAME.test(file) && timelineOf(file) === cluster.timeline
  }
  const isFirst = cluster.timeline === 1
  const others =
    log.find(name => !isOwn(name)) ?? (isFirst || log.length > 0 ? undefined : await anyBackup(store))
  if (others === undefined) return
  throw new NotOwnPlaceError(
    `${store.pathOf()} has ${others}, which may belong to another stack. Nothing is written there. ${OWN_PLACE}`,
    { isForeign: true },
  )
}

const anyBackup = async (store: Store): Promise<string | undefined> => (await listBackups(store))[0]?.name

const folderOf = (dataFolder: string): string => join(dataFolder, COPY_FOLDER)

/** Postgres' account can write there: nothing of it becomes a path or is followed. */
function readClaims(dataFolder: string): Claim[] {
  const folder = folderOf(dataFolder)
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const names = readdirSync(folder).filter(name => CLAIM_FILE.test(name))
  return names
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Claim)
    .filter(({ owner }) => names.includes(`${owner}.json`))
}

function writeClaim(dataFolder: string, claim: Claim): void {
  const folder = folderOf(dataFolder)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found) mkdirSync(folder, { mode: 0o700 })
  else if (!found.isDirectory()) throw new Error(`${folder} is not a folder. Remove it.`)
  writeWhole(join(folder, `${claim.owner}.json`), `${JSON.stringify(claim)}\n`)
}
