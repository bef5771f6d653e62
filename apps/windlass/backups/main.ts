import { run } from '@windlass/service/process/run.ts'
import { startKeeper } from './keeper.ts'

await run('backups', logger => startKeeper(process.env, logger))
