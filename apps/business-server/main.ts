import { run } from '@windlass/service/process/run.ts'
import { becomeServer } from '@windlass/service/process/spare.ts'
import { loadConfig } from './config.ts'
import { migrateOnce } from './migrations.ts'
import { rehearseStart } from './rehearsal.ts'
import { start } from './start.ts'

// Its bundle is no module that could wait.
void main()

async function main(): Promise<void> {
  // The tables belong to another role than the one that the server logs in with.
  if (process.argv.includes('--migrate')) return migrateOnce(process.env)
  const serving = await becomeServer(process.env, rehearseStart)
  await run('business-server', logger => start(loadConfig(process.env), logger))
  serving()
}
