import type { Command } from '../command.ts'
import { printJson, readFlags } from '../command.ts'
import { inMiB } from '../backups/shelf.ts'
import { type BackupsState, type Concern, concernsOf, readBackupsState } from '../backups/state.ts'
import type { Variables } from '../base-env.ts'
import { portOf } from '../settings.ts'
import { CLOCKS_AGREE_MS } from '@windlass/service/observe/clocks.ts'
import { textWithin } from '@windlass/service/outbound/bounded-text.ts'
import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { anchorServers } from '../leftovers.ts'
import { overview } from '../overview.ts'
import { type Home, whereElse } from '../home.ts'
import { healthOfPart, readPartStates } from '../part-states.ts'
import { readLock, type RunFile, type StackLock } from '../run-files.ts'
import { checkHealthAt, type Health } from '../service-process.ts'
import { BACKUPS, SERVICES, type Service } from '../services.ts'

export const status: Command = {
  summary: 'lists what is running, where, and its health',
  usage: `npm run status -- [--json]

Asks every part of the running stack and every anchor's server for its health, and says what is wrong with them, with
backups and clocks, since when, and what to do; one line for each cause.
Exit codes: 0 all is well, 1 something is wrong, or the stack is starting, 3 no stack is running.`,
  run: async ({ args, home, progress }) => {
    const { flags } = readFlags(args, ['json'])
    const lock = await readLock(home.run)
    if (flags.json && !lock?.ready) {
      printJson(progress, { running: lock !== undefined, ready: false, parts: [] })
      return lock === undefined ? 3 : 1
    }
    if (lock === undefined) {
      progress.plain(`Nothing is running. ${whereElse(home)}`)
      return 3
    }
    if (!lock.ready) {
      progress.plain(`Process ${lock.pid} is starting the stack.`)
      return 1
    }
    const services = [...SERVICES, BACKUPS].filter(({ name }) => lock.services.includes(name))
    const hasPostgres = services.includes(BACKUPS)
    const parts = await examine([...(hasPostgres ? (['postgres'] as const) : []), ...services], lock, home)
    const backups = hasPostgres ? readBackupsState(home) : undefined
    const measured = await Promise.all(services.map(service => measuredConcerns(service, lock.variables)))
    const servers = await anchorServers(home)
    const concerns = [
      ...partConcerns(parts),
      ...(await anchorConcerns(servers, parts)),
      ...(backups ? concernsOf(backups, new Date()) : []),
      ...measured.flat(),
    ]
    const exitCode = concerns.length === 0 ? 0 : 1
    if (flags.json) {
      const { pid, startedAt } = lock
      const named = parts.map(({ title: _, ...part }) => part)
      printJson(progress, {
        ...{ running: true, ready: true, pid, startedAt },
        ...{ anchorServers: servers.length, parts: named, backups, concerns },
      })
      return exitCode
    }
    progress.heading(`Windlass is running as process ${lock.pid} since ${lock.startedAt}`)
    for (const { title, healthy, description } of parts) {
      if (healthy) progress.done(title, description)
      else progress.fail(`${title.padEnd(20)}          ${description}`)
    }
    progress.note(`${servers.length} anchor servers`)
    if (hasPostgres) progress.note(describeBackups(backups))
    progress.plain(`\n${overview(lock.variables, lock.variables.DEPLOYMENT === 'local', false)}`)
    // Last, so that it is on the screen.
    if (concerns.length > 0) progress.heading('What is wrong, and what to do')
    for (const { text, since, advice } of concerns)
      progress.fail(`${text}${since ? `\n    since ${since} (${ago(since)})` : ''}\n    ${advice}`)
    return exitCode
  },
}

interface Part extends Health {
  name: string
  title: string
  /** Since when it is not healthy, as far as the launcher knows. */
  since?: string
  /** When it ended by itself in the last hour. */
  endings: string[]
  ending?: string
}

async function examine(
  parts: readonly (Service | 'postgres')[],
  { variables }: StackLock,
  home: Home,
): Promise<Part[]> {
  const states = readPartStates(home)
  return Promise.all(
    parts.map(async part => {
      const { name, title } = part === 'postgres' ? { name: part, title: 'Postgres' } : part
      const health = await healthOfPart(part, variables)
      const { since, endings = [], ending } = states[name] ?? {}
      return {
        ...{ name, title, ...health, endings: endings.filter(at => Date.now() - Date.parse(at) < HOUR_MS) },
        ...(!health.healthy && since !== undefined && { since }),
        ...(ending !== undefined && { ending }),
      }
    }),
  )
}

const HOUR_MS = 3_600_000
/** A part that ended so often in an hour counts as not running. */
const MANY_ENDINGS = 3

/** One line for each cause: what only waits for another part says so. */
function partConcerns(parts: readonly Part[]): Concern[] {
  const postgres = parts.find(({ name, healthy }) => name === 'postgres' && !healthy)
  const isWaiting = ({ why }: Part) => postgres !== undefined && why === 'database'
  const waiting = parts.filter(part => !part.healthy && isWaiting(part))
  const own = parts.filter(part => (!part.healthy || part.endings.length >= MANY_ENDINGS) && !isWaiting(part))
  return own.map(part => {
    const { name, title, healthy, description, since, endings, ending } = part
    const times = `ended ${endings.length} times in the last hour, the last time with ${ending}`
    const others = name === 'postgres' && waiting.length > 0 ? `; ${waiting.length} parts wait for it` : ''
    return {
      text: `${title}: ${healthy ? times : description}${!healthy && endings.length > 0 ? `; ${times}` : ''}${others}`,
      since: healthy ? endings[0] : since,
      advice: adviceFor(part),
    }
  })
}

function adviceFor({ name, why, healthy }: Part): string {
  const runbook = (alert: string) => `docs/runbooks/${alert}.md`
  const log = `npm run logs -- ${name}`
  if (name === 'postgres')
    return `${log}; where it hangs, kill -9 its process, and the launcher starts it again; ${runbook('WindlassDatabaseDown')}`
  if (healthy) return `${log}, then ${runbook('WindlassRestarts')}`
  if (why === 'disk-full') return `df -h, then ${runbook('WindlassDiskFull')}`
  if (why === 'database') return `${log}, then ${runbook('WindlassDatabaseDown')}`
  if (why === 'silent')
    return `${log}; where its process is there and hangs, npm run restart -- ${name}; ${runbook('WindlassPartDown')}`
  return `${log}, then ${runbook('WindlassPartDown')}`
}

/** Servers that are starting. */
const STARTS_WITHIN_MS = 60_000
const ASKED_AT_ONCE = 20
const NAMED_SERVERS = 3

/** One line for all: a database or a full disk takes many at once. */
async function anchorConcerns(servers: readonly RunFile[], parts: readonly Part[]): Promise<Concern[]> {
  const isPostgresDown = parts.some(({ name, healthy }) => name === 'postgres' && !healthy)
  const left = servers.filter(({ startedAt }) => Date.now() - Date.parse(startedAt) > STARTS_WITHIN_MS)
  const failing: { name: string; description: string }[] = []
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { healthy, why, description } = await checkHealthAt(`http://${LOOPBACK_HOST}:${next.port}/health`)
      // What only waits for Postgres belongs to the line of Postgres.
      const isWaiting = isPostgresDown && why === 'database'
      if (!healthy && !isWaiting) failing.push({ name: next.name, description })
    }
  }
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, lane))
  const [first] = failing
  if (first === undefined) return []
  const named = failing.slice(0, NAMED_SERVERS).map(({ name, description }) => `${name} ${description}`)
  const others = failing.length > NAMED_SERVERS ? `, and ${failing.length - NAMED_SERVERS} more` : ''
  return [
    {
      text: `${failing.length} of ${servers.length} anchor servers: ${named.join(', ')}${others}`,
      since: undefined,
      advice: `npm run logs -- ${first.name}, then docs/runbooks/WindlassAnchorServerDown.md`,
    },
  ]
}

function ago(since: string): string {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 60_000))
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** What a part says about the clocks of other machines, about the ledger, and about messages that are refused. */
async function measuredConcerns(service: Service, variables: Variables): Promise<Concern[]> {
  const [[variable, fallback] = []] = service.ports
  if (variable === undefined || fallback === undefined) return []
  const url = `http://${LOOPBACK_HOST}:${portOf(variables, variable, fallback)}/metrics`
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(2_000) }).catch(() => null)
  const metrics = answer?.ok ? await textWithin(answer.body) : ''
  const concerns = [clockConcerns, ledgerConcerns, refusalConcerns]
  return concerns.flatMap(concernsIn => concernsIn(service, metrics))
}

function clockConcerns(service: Service, metrics: string): Concern[] {
  return [...metrics.matchAll(/^windlass_clock_ahead_seconds\{of="([^"]+)".*\} (\S+)$/gm)]
    .map(([, of = '', seconds]) => ({ of, seconds: Math.abs(Number(seconds)) }))
    .filter(({ seconds }) => seconds * 1000 > CLOCKS_AGREE_MS)
    .map(({ of, seconds }) => ({
      text: `${service.title}: its clock and that of the ${of} differ by ${Math.round(seconds)} s`,
      since: undefined,
      advice: 'docs/runbooks/WindlassClocksDiffer.md',
    }))
}

/** As the alert counts. */
const SILENT_SECONDS = 60

function ledgerConcerns({ title }: Service, metrics: string): Concern[] {
  const seconds = Number(/^windlass_ledger_close_age_seconds(?:\{.*\})? (\S+)$/m.exec(metrics)?.[1] ?? 0)
  if (seconds <= SILENT_SECONDS) return []
  const text = `${title}: the last ledger closed ${Math.round(seconds)} s ago by this machine's clock`
  return [{ text, since: undefined, advice: 'docs/runbooks/WindlassLedgerSilent.md' }]
}

function refusalConcerns({ name, title }: Service, metrics: string): Concern[] {
  return [...metrics.matchAll(/^windlass_refused_messages\{([^}]*)\} (\d+)$/gm)].map(
    ([, labels = '', count]) => {
      const [topic, code] = ['topic', 'code'].map(
        each => new RegExp(`${each}="([^"]*)"`).exec(labels)?.[1] ?? '?',
      )
      return {
        text: `${title}: ${count} of its messages about ${topic} are refused whenever they are sent (${code})`,
        since: undefined,
        advice: `docs/runbooks/WindlassMessageRefused.md, then npm run restart -- ${name} to try again`,
      }
    },
  )
}

/** From the disk of the data: the place of the backups may not answer. */
function describeBackups(state: BackupsState | undefined): string {
  if (!state) return 'backups: nothing is known yet'
  if (state.place === null) return 'no backups are scheduled: set BACKUP_TO'
  const upTo = state.logUpTo ? `, the log is stored up to ${state.logUpTo}` : ''
  return state.newest
    ? `last backup ${state.newest.endedAt}, ${inMiB(state.newest.bytes)}${upTo}`
    : `no backup in ${state.place} yet`
}
