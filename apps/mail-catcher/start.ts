import { bind } from '@windlass/service/process/bind.ts'
import type { Running } from '@windlass/service/process/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { createDeps } from './deps.ts'
import { smtpListener } from './mails/smtp.ts'

/** An SMTP server that keeps every mail instead of sending it, and the page that shows them. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number; smtpPort: number }> {
  const deps = await createDeps(config, logger)
  const server = await buildApp(deps)
  const smtp = await bind(config.smtpPort, config.bindHost, () =>
    smtpListener(deps.mailbox, deps.clock, logger),
  )
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, smtpPort: smtp.port, mails: deps.mailbox.list().length }, 'listening')
  return {
    port,
    smtpPort: smtp.port,
    stop: async () => void (await Promise.all([smtp.close(), server.close()])),
  }
}
