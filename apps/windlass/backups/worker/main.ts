import { useProxies } from '@windlass/service/outbound/proxy.ts'
import { homeAt } from '../../home.ts'
import { definedIn } from '../../settings.ts'
import { readSchedule, startBackups } from '../schedule.ts'

/*
 * Touches the place of the backups, and so may hang where that does: what started it ends it then. Says every few seconds
 * that it does not hang.
 */
const BEAT_MS = 1_000

const say = (message: unknown): void => void process.send?.(message)
say('alive')
const variables = definedIn(process.env)
await useProxies(variables)
const backups = startBackups(readSchedule(variables), variables, homeAt(variables.WINDLASS_HOME), say)
setInterval(() => say('alive'), BEAT_MS)

const stop = (): void => void backups.stop().finally(() => process.exit(0))
process.once('SIGTERM', stop)
process.once('disconnect', stop)
