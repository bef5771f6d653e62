import { bind } from '@windlass/service/bind.ts'
import { systemClock } from '@windlass/service/clock.ts'
import type { Running } from '@windlass/service/run.ts'
import { createServer } from '@windlass/service/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { openMailbox } from './mails/mailbox.ts'
import { serveMails } from './mails/routes.ts'
import { smtpListener } from './mails/smtp.ts'
import { servePage } from './page/serve.ts'

/** An SMTP server that keeps every mail instead of sending it, and the page that shows them. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number; smtpPort: number }> {
  const mailbox = await openMailbox(config.folder, logger)
  const server = await createServer({ name: 'mail-catcher', logger, documents: false })
  serveMails(server.app, mailbox)
  await servePage(server.app)
  const smtp = await bind(config.smtpPort, config.bindHost, () => smtpListener(mailbox, systemClock, logger))
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, smtpPort: smtp.port, mails: mailbox.list().length }, 'listening')
  return {
    port,
    smtpPort: smtp.port,
    stop: async () => void (await Promise.all([smtp.close(), server.close()])),
  }
}
