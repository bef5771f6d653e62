import type { Faults } from '@windlass/service/faults.ts'
import type { OutboxMessage } from '@windlass/service/outbox.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import { createHash } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { PlatformDb } from '../database.ts'
import type { Letter } from './letter.ts'

export const MAIL_TOPIC = 'mail'

/** What lies sealed in the outbox until the mail is delivered. */
interface SealedMail extends Letter {
  to: string
}

/** Hands mails to a mail server. */
export interface Mailer {
  send(mail: SealedMail & { messageId: string }): Promise<void>
  close(): void
}

/**
 * Posts a letter in the caller's transaction: delivered at least once after it commits, never if it does not. The
 * letter may carry a token or a code: it lies sealed and is wiped once delivered. A second one with the same key is
 * dropped.
 */
export async function postLetter(
  tx: PlatformDb,
  sealer: Sealer,
  key: string,
  to: string,
  letter: Letter,
): Promise<void> {
  const mail: SealedMail = { to, ...letter }
  await enqueue(tx, MAIL_TOPIC, key, mail, sealer)
}

/** Delivers what {@link postLetter} posted. A repeat carries the same Message-ID, so that mail servers drop it. */
export function deliverMail(mailer: Mailer, faults?: Faults) {
  return async (message: OutboxMessage): Promise<void> => {
    const digest = createHash('sha256').update(message.key).digest('hex').slice(0, 32)
    await mailer.send({ ...(message.payload as SealedMail), messageId: `<${digest}@windlass>` })
    faults?.at('mail:sent')
  }
}

/** SMTP by `smtp://user:password@host:port`; `smtps:` for TLS from the first byte. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 3,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    // A letter is text: nothing in it may make the sender read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text, html, messageId }) {
      // As an object, an address cannot become two.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, messageId })
    },
    close: () => transport.close(),
  }
}
