import type { TestProject } from 'vitest/node'
import throwawayPostgres from './throwaway-postgres.ts'

/** The oldest Postgres that is supported, as Debian 12 packages it. */
export const OLDEST_PROGRAMS = '/usr/lib/postgresql/15/bin'

/** vitest's global setup for tests of what differs between versions of Postgres. */
export default (project: TestProject) => throwawayPostgres(project, OLDEST_PROGRAMS)
