import { migrateOnce } from '@windlass/service/postgres/migrate-once.ts'
import { run } from '@windlass/service/process/run.ts'
import { loadConfig } from './config.ts'
import { schema, start } from './start.ts'

// In a cluster beforehand: a copy that migrates for longer than its health check waits would be replaced.
if (process.argv.includes('--migrate'))
  process.exitCode = await migrateOnce(process.env, 'AGGREGATOR_DATABASE_URL', schema)
else await run('aggregator', logger => start(loadConfig(process.env), logger))
