import { runConsole } from '@windlass/service/http/console-host.ts'
import { join } from 'node:path'

await runConsole(process.env, {
  name: 'admin-console',
  portName: 'ADMIN_CONSOLE_PORT',
  port: 4002,
  folder: join(import.meta.dirname, 'dist'),
})
