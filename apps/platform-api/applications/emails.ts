import type { Email } from '../infrastructure/mailer.ts'
import { formatEmail, oneLine } from '../mail/email.ts'

/** Nothing in it was written by the applicant: anyone can name any address. */
export function receivedEmail(applicationId: string): Email {
  return formatEmail({
    subject: 'We received your application for an anchor',
    paragraphs: [
      'Hello,',
      'We received your application for a Stellar anchor. An administrator reviews it, and we email you the decision.',
      `Your application ID: ${applicationId}`,
    ],
    footnote: 'If you did not apply, ignore this email. Nothing happens without your invitation.',
  })
}

export function rejectionEmail(company: string, reason: string | null): Email {
  const companyName = oneLine(company)
  return formatEmail({
    subject: `Your application for ${companyName}`,
    paragraphs: [
      'Hello,',
      `We reviewed the application for ${companyName} and cannot approve it.`,
      ...(reason ? [`The reason given: ${reason}`] : []),
      'You can apply again. The payment rail credentials in the application have been deleted.',
    ],
  })
}

export function invitationEmail(company: string, redeemUrl: string, expiresAt: Date): Email {
  const companyName = oneLine(company)
  const day = expiresAt.toISOString().slice(0, 10)
  return formatEmail({
    subject: `${companyName} is approved: create your anchor`,
    paragraphs: [
      'Hello,',
      `The application for ${companyName} is approved. Choose your anchor's address and we create the anchor for you.`,
    ],
    link: { label: 'Create your anchor', url: redeemUrl },
    footnote: `The link works once, until ${day}. Anyone who has it can use it, so do not share it.`,
  })
}
