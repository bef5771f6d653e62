import { run } from '@windlass/service/run.ts'
import { start } from './app.ts'
import { loadConfig } from './config.ts'

await run('control-plane', logger => start(loadConfig(process.env), logger))
