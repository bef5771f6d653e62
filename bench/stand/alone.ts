import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import type { Row } from './report.ts'

/** Processes that are still there after this long are killed. */
const PATIENCE_MS = 10_000

interface Ended {
  /** Null: ended by a signal. */
  code: number | null
  rows: Row[]
  /** Command lines of what the program left running, which runs no longer. */
  left: string[]
}

interface Given {
  environment?: Record<string, string>
  signal?: AbortSignal
  /** Where it prints to. */
  output?: 'inherit' | 'stderr'
  patienceMs?: number
}

/**
 * Runs a program of this folder whose processes, Postgres and folders are gone afterwards, however it ends. It gets a
 * folder on disk and one in memory for all that it writes, and a session of its own: by these what it started is found.
 */
export async function runAlone(
  program: string,
  args: readonly string[],
  { environment = {}, signal, output = 'inherit', patienceMs = PATIENCE_MS }: Given = {},
): Promise<Ended> {
  const mark = `windlass-bench-${randomBytes(6).toString('hex')}`
  const folders = [tmpdir(), fastFolder()].map((shelf, place) => join(shelf, `${mark}-${place}`))
  const [onDisk = '', inMemory = ''] = folders
  // Postgres runs as another user where this runs as root.
  for (const folder of folders) {
    mkdirSync(folder)
    chmodSync(folder, 0o755)
  }
  const rows = join(mkdtempSync(join(onDisk, 'rows-')), 'rows.jsonl')
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', output === 'stderr' ? 2 : 'inherit', 'inherit'],
    detached: true,
    env: { ...process.env, TMPDIR: onDisk, BENCH_FAST_FOLDER: inMemory, BENCH_ROWS: rows, ...environment },
  })
  const end = () => void child.kill('SIGTERM')
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    const written = existsSync(rows) ? readFileSync(rows, 'utf8').trim().split('\n').filter(Boolean) : []
    return {
      code,
      rows: written.map(line => JSON.parse(line) as Row),
      left: await endRest(child, mark, patienceMs),
    }
  } finally {
    signal?.removeEventListener('abort', end)
    await endRest(child, mark, patienceMs)
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function endRest(child: ChildProcess, mark: string, patienceMs: number): Promise<string[]> {
  const all = () => processesIn(mark, child.pid)
  const rest = all()
  const lines = rest.map(pid => read(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 200))
  for (const pid of rest) kill(pid, 'SIGTERM')
  const began = performance.now()
  while (all().length > 0 && performance.now() - began < patienceMs) await sleep(100)
  for (const pid of all()) kill(pid, 'SIGKILL')
  return lines
}

/**
 * Processes of a session, or whose environment names a folder, or that stand in it, as Postgres does, which has no
 * environment.
 */
export const processesIn = (folder: string, session?: number): number[] =>
  existsSync('/proc/self')
    ? readdirSync('/proc')
        .map(Number)
        .filter(pid => Number.isInteger(pid) && pid !== process.pid && isIn(pid, folder, session))
    : []

function isIn(pid: number, folder: string, session: number | undefined): boolean {
  const stat = read(pid, 'stat')
  const [state, , , itsSession] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || state === 'Z') return false
  return (
    Number(itsSession) === session || read(pid, 'environ').includes(folder) || cwdOf(pid).includes(folder)
  )
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended, or is another user's.
    return ''
  }
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has just ended.
  }
}
