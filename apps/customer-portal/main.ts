import { consoleSettings, startConsole } from '@windlass/service/console-host.ts'
import { run } from '@windlass/service/run.ts'
import { join } from 'node:path'

await run('customer-portal', logger =>
  startConsole(
    consoleSettings(process.env, {
      name: 'customer-portal',
      portName: 'CUSTOMER_PORTAL_PORT',
      port: 4003,
      folder: join(import.meta.dirname, 'dist'),
    }),
    logger,
  ),
)
