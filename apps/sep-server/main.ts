import { run } from '@windlass/service/process/run.ts'
import { becomeServer } from '@windlass/service/process/spare.ts'
import { loadConfig } from './config.ts'
import { rehearseLogin } from './rehearsal.ts'
import { start } from './start.ts'

// Its bundle is no module that could wait.
void main()

async function main(): Promise<void> {
  const serving = await becomeServer(process.env, rehearseLogin)
  await run('sep-server', logger => start(loadConfig(process.env), logger))
  serving()
}
