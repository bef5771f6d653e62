import {
  numberBefore,
  numberOf,
  type parseHistory,
  SEGMENT_NAME,
  segmentAt,
  timelineOf,
} from '@windlass/postgres/log-segments.ts'
import { RefusedError } from './archive.ts'
import type { Mark } from './mark.ts'
import type { BackupEnd, Manifest } from './shelf.ts'

/** A file of the stored log. */
export interface LogFile {
  name: string
  storedAt: Date
}

interface LogOfBackup {
  backup: Pick<Manifest, 'systemId' | 'owner'> & Pick<BackupEnd, 'timeline' | 'stopLsn' | 'endedAt'>
  /** All of the cluster's. */
  files: readonly LogFile[]
  /** Mark of the place's owner; undefined: it has none. */
  mark: Mark | undefined
  /** To follow in place of the owner's. */
  timeline?: number | undefined
  /** History of that timeline. */
  history?: ReturnType<typeof parseHistory>
}

/** What a restore takes from the stored log. */
export interface LogPlan {
  timeline: number
  /** Segments that continue the backup without a gap, in order. */
  segments: string[]
  /** Up to which recovery has to come. */
  last: string
  gap: Gap | undefined
  /** All that was committed before it is stored, where there is no gap. ISO 8601. */
  completeAt: string | undefined
}

/** Files that are not there, though later ones are or were. */
interface Gap {
  first: string
  last: string
  /** Files after it, which are of no use, and when the newest one was stored. */
  later: number
  newest: Date | undefined
}

/**
 * The part of the log that continues a backup, on the timeline of the place's owner.
 *
 * @throws {RefusedError} where the backup is not the owner's, or nothing says which timeline to follow
 */
export function planLog({ backup, files, mark, timeline: given, history = [] }: LogOfBackup): LogPlan {
  const stored = new Map(
    files.filter(({ name }) => SEGMENT_NAME.test(name)).map(({ name, storedAt }) => [name, storedAt]),
  )
  const timeline = given ?? backup.timeline
  const isOwners = mark !== undefined && isOf(mark, backup)
  if (given === undefined) {
    if (mark && !isOwners) throw new RefusedError(NOT_THE_OWNERS)
    if (!mark) requireOneTimeline(stored, backup)
  } else if (given !== backup.timeline && !history.some(each => each.timeline === backup.timeline))
    throw new RefusedError(`Timeline ${given} does not come from that of the backup, ${backup.timeline}.`)

  const log = isOwners && mark.timeline === timeline ? mark.log : undefined
  const at = (number: number) =>
    segmentAt(history.find(({ leftIn }) => number < leftIn)?.timeline ?? timeline, number)
  // The backup has the segment in which it ends; on another timeline the same segment may go on differently.
  const end = numberBefore(backup.stopLsn)
  const segments = stored.has(at(end)) ? [at(end)] : []
  let next = end + 1
  for (; stored.has(at(next)); next++) segments.push(at(next))
  const later = [...stored.keys()].filter(name => numberOf(name) > next && at(numberOf(name)) === name).sort()
  const missing = later[0] ? numberOf(later[0]) - 1 : log ? numberOf(log.upTo) : 0
  const times = later.map(name => stored.get(name)?.getTime() ?? 0)
  const gap = missing >= next && {
    ...{ first: at(next), last: at(missing), later: later.length },
    newest: times.length > 0 ? new Date(Math.max(...times)) : undefined,
  }
  return { timeline, segments, last: at(next - 1), gap: gap || undefined, completeAt: log?.completeAt }
}

const isOf = (mark: Mark, { systemId, timeline, owner }: LogOfBackup['backup']): boolean =>
  mark.systemId === systemId && mark.timeline === timeline && (owner === undefined || mark.owner === owner)

const NOT_THE_OWNERS =
  'The backup is not of the stack that this place belongs to. Name an older backup; or copy this one to an empty folder and restore it from there, without a log.'

/** Earlier releases let a restored stack write beside the one that it was restored from. */
function requireOneTimeline(
  stored: ReadonlyMap<string, Date>,
  { timeline, endedAt }: LogOfBackup['backup'],
): void {
  const newest = new Map<number, Date>()
  for (const [name, storedAt] of stored) {
    const known = newest.get(timelineOf(name))
    if (!known || known < storedAt) newest.set(timelineOf(name), storedAt)
  }
  const others = [...newest].filter(([other, storedAt]) => other !== timeline && storedAt > new Date(endedAt))
  if (others.length === 0) return
  const all = [...newest].sort(([a], [b]) => a - b)
  const list = all
    .map(([each, storedAt]) => `${each} (newest file stored ${storedAt.toISOString()})`)
    .join(', ')
  throw new RefusedError(
    `The stored log has several timelines: ${list}. The backup is of ${timeline}. A restored stack wrote here, too: say which one to follow with --timeline.`,
  )
}
