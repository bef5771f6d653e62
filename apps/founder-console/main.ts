import { runConsole } from '@windlass/service/http/console-host.ts'
import { join } from 'node:path'

await runConsole(process.env, {
  name: 'founder-console',
  portName: 'FOUNDER_CONSOLE_PORT',
  port: 4001,
  folder: join(import.meta.dirname, 'dist'),
})
