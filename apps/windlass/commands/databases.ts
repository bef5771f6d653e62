import { databaseUrl } from '@windlass/postgres/databases.ts'
import { readOrCreateBaseEnv } from '../base-env.ts'
import { type Command, readFlags, UsageError } from '../command.ts'
import { ensureDatabases, protectAuditLog } from '../databases.ts'
import { prepareHome } from '../home.ts'
import { DATABASES } from '../services.ts'
import { rolePassword } from '../settings.ts'
import { onStandardError } from './backup.ts'

export const databases: Command = {
  summary: 'creates the databases and roles in a Postgres of your own and prints their addresses',
  usage: `POSTGRES_URL=postgres://postgres:password@host:5432/postgres npm run databases

Creates what is missing in the Postgres that POSTGRES_URL names: a database and a role for each part. Prints the settings
that name them, which hold passwords: put them where the other settings are. The passwords follow from POSTGRES_PASSWORD
in the base env file. Run it again once the platform has started: the audit log then gets an owner of its own.`,
  run: async ({ args, environment, home, progress }) => {
    readFlags(args, [])
    const url = environment.POSTGRES_URL ?? ''
    if (!URL.canParse(url)) throw new UsageError('Set POSTGRES_URL to the address of the superuser.')
    prepareHome(home)
    const { variables } = readOrCreateBaseEnv(home.baseEnvFile)
    await ensureDatabases(url, [...DATABASES], variables)
    const isProtected = await protectAuditLog(url, 'windlass_platform', 'windlass_platform')
    const terminal = onStandardError(progress)
    terminal.done('databases', `${DATABASES.length} are ready`)
    if (isProtected) terminal.done('audit log', 'has an owner of its own')
    else terminal.note('Run this again once the platform has started, to protect its audit log.')
    for (const { variable, name } of DATABASES)
      progress.plain(`${variable}=${databaseUrl(url, name, name, rolePassword(variables, name))}`)
    return 0
  },
}
