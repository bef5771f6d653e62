import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isSystemUser } from '@windlass/service/process/tcp-sockets.ts'

/** A process, distinguished from a later one with the same id. */
export interface ProcessIdentity {
  pid: number
  /** In the system's format; clock ticks since boot on Linux. */
  startTime: string
}

const run = promisify(execFile)

/** The identity of a running process; `null` when there is none or it is a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (stat === null) return null
    // proc(5): the command's name stands in parentheses and may hold anything; state and start time come after.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The first thread of a process that ends may be over before others, which still hold its sockets.
    const isOver = fields[0] === 'Z' && Number(fields[17]) <= 1
    if (isOver || fields[0] === 'X') return null
    return { pid, startTime: fields[19] ?? '' }
  }
  const listed = await run('ps', ['-p', String(pid), '-o', 'lstart=']).catch(() => null)
  const startTime = listed?.stdout.trim()
  return startTime ? { pid, startTime } : null
}

/** Clock ticks of processor time that a process has used; null: it has ended, or the system does not say. */
export async function processorTime(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // proc(5): user and system time stand after the command's name, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** Whether this very process still runs. */
export async function isRunning({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.startTime === startTime
}

/** The user that a running process acts as; null: it has ended, or users have no ids here. */
export async function userOf(pid: number): Promise<number | null> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    // proc(5): real, effective, saved and file system user. Not the owner of /proc/<pid>, which may be root's.
    const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]
    return uid === undefined ? null : Number(uid)
  }
  const listed = await run('ps', ['-p', String(pid), '-o', 'uid=']).catch(() => null)
  return listed ? Number(listed.stdout.trim()) : null
}

/** Whether a process of that user may be one that we started: anyone can give a process any arguments. */
function isOurs(uid: number | null): boolean {
  const self = process.getuid?.() ?? uid
  return uid !== null && (uid === self || (self === 0 && isSystemUser(uid)))
}

/**
 * All running processes, except this one, of users that we start processes as, with a word among their arguments that fits,
 * and that word. They are to be ended, never believed: another program of the same user can have the same arguments.
 */
export async function findByArguments(
  fits: (word: string) => boolean,
): Promise<(ProcessIdentity & { word: string })[]> {
  const found = (await allArguments()).map(async ([pid, args]) => {
    const word = pid === process.pid ? undefined : args.find(fits)
    const identity = word === undefined || !isOurs(await userOf(pid)) ? null : await identify(pid)
    return identity && word !== undefined ? [{ ...identity, word }] : []
  })
  return (await Promise.all(found)).flat()
}

async function allArguments(): Promise<[number, string[]][]> {
  if (process.platform === 'linux') {
    const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
    return pids.map(pid => [Number(pid), commandLine(pid).split('\0')])
  }
  const { stdout } = await run('ps', ['-axo', 'pid=,args='], { maxBuffer: 16 * 2 ** 20 })
  return stdout.split('\n').map(line => {
    const [pid, ...args] = line.trim().split(/\s+/)
    return [Number(pid), args]
  })
}

/** Read at once: of a thousand processes it takes a few milliseconds, asynchronously seventy. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** SIGTERM, and SIGKILL for one that has not ended after `patience` milliseconds. */
export async function end(identity: ProcessIdentity, patience: number): Promise<void> {
  for (const [signal, wait] of [
    ['SIGTERM', patience],
    ['SIGKILL', 2_000],
  ] as const) {
    if (!(await isRunning(identity))) return
    try {
      process.kill(identity.pid, signal)
    } catch {
      return
    }
    for (let waited = 0; waited < wait && (await isRunning(identity)); waited += 25) await sleep(25)
  }
}
