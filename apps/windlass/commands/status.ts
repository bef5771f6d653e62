import type { Command } from '../command.ts'
import { printJson, readFlags } from '../command.ts'
import { inMiB } from '../backups/shelf.ts'
import { type BackupsState, type Concern, concernsOf, readBackupsState } from '../backups/state.ts'
import type { Variables } from '../base-env.ts'
import { portOf } from '../settings.ts'
import { CLOCKS_AGREE_MS } from '@windlass/service/observe/clocks.ts'
import { anchorServers } from '../leftovers.ts'
import { overview } from '../overview.ts'
import { readLock } from '../run-files.ts'
import { checkHealth } from '../service-process.ts'
import { BACKUPS, SERVICES, type Service } from '../services.ts'

export const status: Command = {
  summary: 'lists what is running, where, and its health',
  usage: `npm run status -- [--json]

Asks every part of the running stack for its health, and says what is wrong with the backups and the clocks, since when,
and what to do.
Exit codes: 0 all is well, 1 a part is not healthy or is starting, backups fail or are old, or clocks
differ, 3 no stack is running.`,
  run: async ({ args, home, progress }) => {
    const { flags } = readFlags(args, ['json'])
    const lock = await readLock(home.run)
    if (flags.json && !lock?.ready) {
      printJson(progress, { running: lock !== undefined, ready: false, parts: [] })
      return lock === undefined ? 3 : 1
    }
    if (lock === undefined) {
      progress.plain('Nothing is running. Start it with: npm start')
      return 3
    }
    if (!lock.ready) {
      progress.plain(`Process ${lock.pid} is starting the stack.`)
      return 1
    }
    const services = [...SERVICES, BACKUPS].filter(({ name }) => lock.services.includes(name))
    const healths = await Promise.all(services.map(service => checkHealth(service, lock.variables)))
    const backups = services.includes(BACKUPS) ? readBackupsState(home) : undefined
    const clocks = await Promise.all(services.map(service => clockConcerns(service, lock.variables)))
    const concerns = [...(backups ? concernsOf(backups, new Date()) : []), ...clocks.flat()]
    const exitCode = concerns.length === 0 && healths.every(({ healthy }) => healthy) ? 0 : 1
    const servers = (await anchorServers(home)).length
    if (flags.json) {
      const parts = services.map(({ name }, index) => ({ name, ...healths[index] }))
      const { pid, startedAt } = lock
      printJson(progress, {
        running: true,
        ready: true,
        pid,
        startedAt,
        anchorServers: servers,
        parts,
        backups,
        concerns,
      })
      return exitCode
    }
    progress.heading(`Windlass is running as process ${lock.pid} since ${lock.startedAt}`)
    services.forEach(({ title }, index) => {
      const health = healths[index]
      if (health?.healthy) progress.done(title, health.description)
      else progress.fail(`${title.padEnd(20)}          ${health?.description}`)
    })
    progress.note(`${servers} anchor servers`)
    if (services.includes(BACKUPS)) progress.note(describeBackups(backups))
    for (const { text, since, advice } of concerns)
      progress.fail(`${text}${since ? ` (since ${since})` : ''}. ${advice}`)
    progress.plain(`\n${overview(lock.variables, lock.variables.DEPLOYMENT === 'local', false)}`)
    return exitCode
  },
}

/** What a part says about the clocks of other machines. */
async function clockConcerns(service: Service, variables: Variables): Promise<Concern[]> {
  const [[variable, fallback] = []] = service.ports
  if (variable === undefined || fallback === undefined) return []
  const url = `http://127.0.0.1:${portOf(variables, variable, fallback)}/metrics`
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  const metrics = answer?.ok ? await answer.text() : ''
  return [...metrics.matchAll(/^windlass_clock_ahead_seconds\{of="([^"]+)".*\} (\S+)$/gm)]
    .map(([, of = '', seconds]) => ({ of, seconds: Math.abs(Number(seconds)) }))
    .filter(({ seconds }) => seconds * 1000 > CLOCKS_AGREE_MS)
    .map(({ of, seconds }) => ({
      text: `${service.title}: its clock and that of the ${of} differ by ${Math.round(seconds)} s`,
      since: undefined,
      advice: 'docs/runbooks/WindlassClocksDiffer.md',
    }))
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
