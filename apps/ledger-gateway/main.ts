import { run } from '@windlass/service/process/run.ts'
import { loadConfig } from './config.ts'
import { start } from './start.ts'

await run('ledger-gateway', logger => start(loadConfig(process.env), logger))
