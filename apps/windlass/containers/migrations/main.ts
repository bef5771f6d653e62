import { databaseAddress } from '@windlass/service/process/env.ts'
import { spawnSync } from 'node:child_process'
import { CHECKOUT } from '../../home.ts'
import { SERVICES } from '../../services.ts'
import { untilPostgresAnswers } from '../until-postgres-answers.ts'

// Brings the databases of the named parts to the release of this image, one after the other, and ends. `cluster:up` waits for it
// before it replaces a copy.

const named = new Set(process.argv.slice(2))

for (const { name, script, database } of SERVICES) {
  if (!database || !named.has(name)) continue
  await untilPostgresAnswers(databaseAddress(process.env, database)).catch((error: Error) =>
    end(name, `${database}: ${error.message}`),
  )
  const { status } = spawnSync(process.execPath, [script, '--migrate'], { cwd: CHECKOUT, stdio: 'inherit' })
  if (status !== 0) end(name)
  console.log(`${name}: its database is as this release needs it`)
}

function end(name: string, why?: string): never {
  if (why) console.error(why)
  console.error(`${name}: its database was not migrated`)
  process.exit(1)
}
