import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { openMailbox, type Mailbox } from './mails/mailbox.ts'

export interface Deps {
  mailbox: Mailbox
  /** Where it is. */
  folder: string
  clock: Clock
  logger: FastifyBaseLogger
}

export async function createDeps({ folder }: Config, logger: FastifyBaseLogger): Promise<Deps> {
  return { folder, mailbox: await openMailbox(folder, logger), clock: systemClock, logger }
}
