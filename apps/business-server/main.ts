import { run } from '@windlass/service/process/run.ts'
import { becomeServer } from '@windlass/service/process/spare.ts'
import { loadConfig } from './config.ts'
import { migrateOnce } from './migrations.ts'
import { rehearseStart } from './rehearsal.ts'
import { start } from './start.ts'

// The tables belong to another role than the one that the server logs in with.
if (process.argv.includes('--migrate')) await migrateOnce(process.env)
else {
  const serving = await becomeServer(process.env, rehearseStart)
  await run('business-server', logger => start(loadConfig(process.env), logger))
  serving()
}
