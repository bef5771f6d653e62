import { numberOf, SEGMENT_NAME } from '@windlass/postgres/log-segments.ts'
import type { Cluster } from '@windlass/postgres/base-backup.ts'
import { isTextSignedBy, type Signature, signText } from './signature.ts'

/** Says whose a backup place is, and what is stored there. */
export interface Mark extends Cluster {
  format: 'windlass-owner/1'
  /** Random: the stack's name for itself at this place. */
  owner: string
  /** Random, another one each time. A copy of the owner does not know those that the owner wrote after it was copied. */
  renewal: string
  /** ISO 8601. */
  renewedAt: string
  /** The machine's name, for people. */
  machine: string
  log?: StoredLog
  /** The newest that the schedule made. */
  backup?: MarkedBackup
}

/** The part of the write-ahead log that is stored without a gap. */
interface StoredLog {
  /** The first and the last segment. */
  from: string
  upTo: string
  /** All that was committed before it is stored, ISO 8601. */
  completeAt: string
}

interface MarkedBackup {
  name: string
  /** Where the log has to continue it. */
  lastSegment: string
}

/** At each place. */
export const MARK_FILE = 'owner.json'
const SUBJECT = 'owner of a backup place'

/** Whether the log that is stored without a gap continues the newest backup. */
export const isContinued = ({ backup, log }: Mark): boolean =>
  !backup || !log || numberOf(log.from) <= numberOf(backup.lastSegment) + 1

export function printMark(mark: Mark, signingKey: string): string {
  const signed = signText(SUBJECT, JSON.stringify(mark), signingKey)
  return `${JSON.stringify({ mark, ...signed }, null, 2)}\n`
}

/** A mark that anyone may have written; undefined where the text is none. */
export function parseMark(text: string): (Signature & { mark: Mark }) | undefined {
  try {
    const { mark, signer, signature } = JSON.parse(text) as Record<string, unknown>
    if (!isMark(mark) || typeof signer !== 'string' || typeof signature !== 'string') return undefined
    return { mark, signer, signature }
  } catch {
    return undefined
  }
}

export const isMarkSignedBy = (
  signers: readonly string[],
  { mark, ...signature }: Signature & { mark: Mark },
): boolean => isTextSignedBy(signers, SUBJECT, JSON.stringify(mark), signature)

type Fields = Record<string, unknown>

/** It is shown and becomes parts of paths, so that it has no other characters. */
function isMark(value: unknown): value is Mark {
  if (!isObject(value) || value.format !== 'windlass-owner/1') return false
  const { owner, renewal, renewedAt, machine, systemId, timeline, log, backup } = value
  return (
    [owner, renewal].every(each => matches(each, /^[\w-]{16,64}$/)) &&
    isTime(renewedAt) &&
    matches(machine, /^[\w.-]{1,253}$/) &&
    matches(systemId, /^\d{1,20}$/) &&
    Number.isSafeInteger(timeline) &&
    (log === undefined || isLog(log)) &&
    (backup === undefined || isBackup(backup))
  )
}

const isLog = (value: unknown): boolean =>
  isObject(value) &&
  [value.from, value.upTo].every(each => matches(each, SEGMENT_NAME)) &&
  isTime(value.completeAt)

const isBackup = (value: unknown): boolean =>
  isObject(value) && matches(value.name, /^[\w.-]{1,100}$/) && matches(value.lastSegment, SEGMENT_NAME)

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const matches = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)
const isTime = (value: unknown): boolean => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
