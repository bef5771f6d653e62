import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Home } from './home.ts'

const ROTATE_AT_BYTES = 10 * 1024 * 1024
const KEPT = 3

export function logFileOf(home: Home, name: string): string {
  return join(home.logs, `${name}.log`)
}

/** The files of a log that are there, the oldest first. */
export function logFilesOf(home: Home, name: string): string[] {
  const file = logFileOf(home, name)
  const older = Array.from({ length: KEPT }, (_, age) => `${file}.${KEPT - age}`)
  return [...older, file].filter(each => existsSync(each))
}

/**
 * Moves the content of large log files to `.1`, `.2`, `.3`. The services hold the files open for appending, so a
 * file is copied and emptied, never renamed.
 */
export function rotateLogs(home: Home, limit = ROTATE_AT_BYTES): void {
  for (const name of readdirSync(home.logs)) {
    const file = join(home.logs, name)
    if (!name.endsWith('.log') || statSync(file).size < limit) continue
    for (let age = KEPT - 1; age >= 1; age--) {
      if (existsSync(`${file}.${age}`)) renameSync(`${file}.${age}`, `${file}.${age + 1}`)
    }
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
  }
}

/** The end of a log (of what was written from `start` bytes on), one readable line for each entry. */
export function lastLogLines(file: string, count: number, start = 0): string[] {
  try {
    const text = readFileSync(file).subarray(start).toString('utf8').trimEnd()
    return text === '' ? [] : text.split('\n').slice(-count).map(readableLogLine)
  } catch {
    return []
  }
}

const LEVELS: Record<string, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** A pino entry as readable text; any other line unchanged. */
export function readableLogLine(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { time, level, msg, err, ...rest }: Record<string, unknown> = JSON.parse(line)
    const moment = new Date(typeof time === 'number' ? time : String(time))
    const clock = Number.isNaN(moment.getTime()) ? '' : `${moment.toISOString().slice(11, 23)} `
    const facts = Object.entries(rest)
      .filter(([name]) => !['pid', 'hostname', 'name', 'service', 'version', 'v'].includes(name))
      .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    return `${clock}${LEVELS[String(level)] ?? level} ${msg ?? ''}${facts.join('')}${describeError(err)}`
  } catch {
    return line
  }
}

function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const message = 'message' in error ? String(error.message) : JSON.stringify(error)
  const stack = 'stack' in error ? String(error.stack).split('\n').slice(1, 4).join('\n') : ''
  return ` — ${message}${stack ? `\n${stack}` : ''}`
}
