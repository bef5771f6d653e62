import { setTimeout as sleep } from 'node:timers/promises'
import type { Story } from './story.ts'

interface CaughtMail {
  subject: string
  text: string
  to: { address: string }[]
}

/**
 * The newest email to an address that matches the pattern. The outbox may need a moment to deliver it.
 *
 * @returns the first group of the pattern (or the whole match).
 * @throws {Error} when none came within a minute.
 */
export async function findInMail(story: Story, address: string, pattern: RegExp): Promise<string> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    for (const { text } of await mailsTo(story, address)) {
      const match = pattern.exec(text)
      if (match) return match[1] ?? match[0]
    }
    await sleep(100)
  }
  throw new Error(`no email to ${address} with ${pattern} arrived within a minute`)
}

/** Newest first, as the catcher's own list (MailDev's `GET /email`) has them last. */
export async function mailsTo({ variables }: Story, address: string): Promise<CaughtMail[]> {
  const response = await fetch(`${variables.MAIL_CATCHER_URL}/email`)
  if (!response.ok) throw new Error(`the mail catcher answers with status ${response.status}`)
  const mails: CaughtMail[] = await response.json()
  return mails.filter(({ to }) => to.some(recipient => recipient.address === address)).reverse()
}
