import type { Command } from '../command.ts'
import { printJson, readFlags } from '../command.ts'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { notOwn, ownershipOf } from '../backups/owner.ts'
import { listBackups } from '../backups/shelf.ts'
import type { Home } from '../home.ts'
import { anchorServers } from '../leftovers.ts'
import { overview } from '../overview.ts'
import { readLock } from '../run-files.ts'
import { checkHealth } from '../service-process.ts'
import { SERVICES } from '../services.ts'
import { backupStore, variablesOf } from './backup.ts'

export const status: Command = {
  summary: 'lists what is running, where, and its health',
  usage: `npm run status -- [--json]

Asks every part of the running stack for its health.
Exit codes: 0 all healthy, 1 a part is not healthy or is starting, 3 no stack is running.`,
  run: async ({ args, environment, home, progress }) => {
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
    const services = SERVICES.filter(({ name }) => lock.services.includes(name))
    const healths = await Promise.all(services.map(service => checkHealth(service, lock.variables)))
    const exitCode = healths.every(({ healthy }) => healthy) ? 0 : 1
    const servers = (await anchorServers(home)).length
    if (flags.json) {
      const parts = services.map(({ name }, index) => ({ name, ...healths[index] }))
      const { pid, startedAt } = lock
      printJson(progress, { running: true, ready: true, pid, startedAt, anchorServers: servers, parts })
      return exitCode
    }
    progress.heading(`Windlass is running as process ${lock.pid} since ${lock.startedAt}`)
    services.forEach(({ title }, index) => {
      const health = healths[index]
      if (health?.healthy) progress.done(title, health.description)
      else progress.fail(`${title.padEnd(20)}          ${health?.description}`)
    })
    progress.note(`${servers} anchor servers`)
    progress.note(await lastBackup(home, { ...lock.variables, ...variablesOf({ home, environment }) }))
    progress.plain(`\n${overview(lock.variables, lock.variables.DEPLOYMENT === 'local', false)}`)
    return exitCode
  },
}

async function lastBackup(home: Home, variables: Record<string, string>): Promise<string> {
  try {
    const store = await backupStore(home, variables, [])
    const found = await ownershipOf({ store, dataFolder: placeData(home.postgres).folder })
    if (found.state === 'lost' || found.state === 'foreign')
      return `no backups are made: ${notOwn(store, found).message}`
    const newest = (await listBackups(store)).at(-1)
    return newest ? `last backup ${newest.endedAt.toISOString()}` : 'no backup yet: npm run backup -- --help'
  } catch (error) {
    return `the last backup is not known: ${(error as Error).message}`
  }
}
