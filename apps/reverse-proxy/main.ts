import { run } from '@windlass/service/process/run.ts'
import { loadConfig } from './config.ts'
import { start } from './start.ts'

await run('reverse-proxy', logger => start(loadConfig(process.env), logger))
