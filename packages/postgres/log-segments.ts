/** Size of a file of the write-ahead log, as Postgres is built. */
export const SEGMENT_BYTES = 16 * 2 ** 20
const PER_FILE = 2n ** 32n / BigInt(SEGMENT_BYTES)

/** A segment's name: its timeline, then its place in the log, each in hexadecimal. */
export const SEGMENT_NAME = /^[0-9A-F]{24}$/
/** Says where a timeline left the one before it. */
export const HISTORY_NAME = /^[0-9A-F]{8}\.history$/

/** Reads the timeline of a segment or of a history from its name. */
export const timelineOf = (name: string): number => Number.parseInt(name.slice(0, 8), 16)

export const historyOf = (timeline: number): string => `${hex(timeline)}.history`

/** The place of a segment in the log, counted from its start; the same on every timeline. */
export function numberOf(segment: string): number {
  return Number(BigInt(`0x${segment.slice(8, 16)}`) * PER_FILE + BigInt(`0x${segment.slice(16)}`))
}

export function segmentAt(timeline: number, number: number): string {
  return `${hex(timeline)}${hex(BigInt(number) / PER_FILE)}${hex(BigInt(number) % PER_FILE)}`
}

/** The number of the segment that a position (`16/B374D848`) is in. */
export const numberAt = (lsn: string): number => Number(positionOf(lsn) / BigInt(SEGMENT_BYTES))

/** The number of the segment with the last byte before a position. */
export const numberBefore = (lsn: string): number => Number((positionOf(lsn) - 1n) / BigInt(SEGMENT_BYTES))

/** Where a segment starts. */
export function startOf(segment: string): string {
  const position = BigInt(numberOf(segment)) * BigInt(SEGMENT_BYTES)
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`
}

/** Timelines from which another one comes, oldest first, each with the number of the segment in which it was left. */
export function parseHistory(text: string): { timeline: number; leftIn: number }[] {
  return text.split('\n').flatMap(line => {
    const [, timeline = '', lsn = ''] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line) ?? []
    return timeline ? [{ timeline: Number(timeline), leftIn: numberAt(lsn) }] : []
  })
}

function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

const hex = (value: number | bigint): string => value.toString(16).toUpperCase().padStart(8, '0')
