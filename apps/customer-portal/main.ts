import { runConsole } from '@windlass/service/http/console-host.ts'
import { join } from 'node:path'

await runConsole(process.env, {
  name: 'customer-portal',
  portName: 'CUSTOMER_PORTAL_PORT',
  port: 4003,
  folder: join(import.meta.dirname, 'dist'),
})
