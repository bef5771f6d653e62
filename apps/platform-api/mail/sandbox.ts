import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import { bandText, sandboxName } from '@windlass/service/http/installation.ts'
import type { Email } from '../infrastructure/mailer.ts'

/** An email of a sandbox says so in its subject and above its text: it looks as one about real money would. */
export function markSandbox({ subject, text, html }: Email, language: EmailLanguage): Email {
  const band = bandText(language)
  return {
    subject: `${sandboxName(language)}: ${subject}`,
    text: `${band}\n\n${text}`,
    html: html.replace(
      /<body[^>]*>/,
      body => `${body}<p style="margin:0 0 16px;font-weight:600">${band}</p>`,
    ),
  }
}
