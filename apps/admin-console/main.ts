import { consoleSettings, startConsole } from '@windlass/service/console-host.ts'
import { run } from '@windlass/service/run.ts'
import { join } from 'node:path'

await run('admin-console', logger =>
  startConsole(
    consoleSettings(process.env, {
      name: 'admin-console',
      portName: 'ADMIN_CONSOLE_PORT',
      port: 4002,
      folder: join(import.meta.dirname, 'dist'),
    }),
    logger,
  ),
)
