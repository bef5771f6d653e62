import { run } from '@windlass/service/run.ts'
import { loadConfig } from './config.ts'
import { start } from './start.ts'

await run('signer', logger => start(loadConfig(process.env), logger))
