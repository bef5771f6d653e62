import { startPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseEnvFile } from '../base-env.ts'
import { homeAt } from '../home.ts'
import { terminalProgress } from '../progress.ts'
import { databases } from './databases.ts'
import { checkOwnDatabases } from './own-postgres.ts'

it('databases of a Postgres of the operator’s own are created once, and reached by the settings that are printed', async () => {
  const folder = mkdtempSync(join(fastFolder(), 'windlass-databases-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataFolder: join(folder, 'data'), port: 0, superuserPassword: 'p' })
  const create = async () => {
    const lines: string[] = []
    const progress = { ...terminalProgress(true), plain: (line: string) => void lines.push(line) }
    const home = homeAt(join(folder, 'home'))
    expect(
      await databases.run({ args: [], environment: { POSTGRES_URL: postgres.url }, home, progress }),
    ).toBe(0)
    return lines.join('\n')
  }
  try {
    const printed = await create()
    expect(await create()).toBe(printed)
    const verdicts = await checkOwnDatabases(parseEnvFile(printed, 'what it printed'))
    expect(verdicts.map(({ state }) => state)).toEqual(Array(6).fill('good'))
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
})
