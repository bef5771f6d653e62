import { consoleSettings, startConsole } from '@windlass/service/console-host.ts'
import { run } from '@windlass/service/run.ts'
import { join } from 'node:path'

await run('founder-console', logger =>
  startConsole(
    consoleSettings(process.env, {
      name: 'founder-console',
      portName: 'FOUNDER_CONSOLE_PORT',
      port: 4001,
      folder: join(import.meta.dirname, 'dist'),
    }),
    logger,
  ),
)
