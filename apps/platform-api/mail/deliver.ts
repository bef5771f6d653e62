import type { OutboxMessage } from '@windlass/service/work/outbox.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { markDelivered } from './customer-emails.ts'
import type { SealedEmail } from './email.ts'
import { markSandbox } from './sandbox.ts'

/** Delivers what `enqueueEmail` enqueued. A repeat has the same Message-ID, so that mail servers can drop it. */
export function deliverEmail({ config, mailer, faults, database, clock }: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const digest = createHash('sha256').update(message.key).digest('hex').slice(0, 32)
    const { to, language = 'en', ...email } = message.payload as SealedEmail
    const marked = config.sandbox ? markSandbox(email, language) : email
    await mailer.send({ to, ...marked, messageId: `<${digest}@windlass>` })
    faults?.at('mail:sent')
    await markDelivered(database.db, message.key, clock.now())
  }
}
