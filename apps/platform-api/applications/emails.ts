import type { Email } from '../infrastructure/mailer.ts'
import { formatEmail, oneLine } from '../mail/email.ts'

export function rejectionEmail(company: string, reason: string | null): Email {
  const companyName = oneLine(company)
  return formatEmail({
    subject: `Your application for ${companyName}`,
    paragraphs: [
      'Hello,',
      `we have looked at the application for ${companyName} and cannot approve it.`,
      ...(reason ? [`The reason given: ${reason}`] : []),
      'You are welcome to apply again. Credentials of payment rails that came with the application have been deleted.',
    ],
  })
}

export function invitationEmail(company: string, redeemUrl: string, expiresAt: Date): Email {
  const companyName = oneLine(company)
  const day = expiresAt.toISOString().slice(0, 10)
  return formatEmail({
    subject: `${companyName} is approved: raise your anchor`,
    paragraphs: [
      'Hello,',
      `the application for ${companyName} is approved. Choose your anchor's address and we raise it for you.`,
    ],
    link: { label: 'Raise the anchor', url: redeemUrl },
    footnote: `The link works once, until ${day}. Whoever holds it can use it: please do not pass it on.`,
  })
}
