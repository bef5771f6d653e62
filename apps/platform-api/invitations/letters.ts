import { letter, oneLine, type Letter } from '../mail/letter.ts'

export function invitationLetter(company: string, redeemUrl: string, expiresAt: Date): Letter {
  const companyName = oneLine(company)
  const day = expiresAt.toISOString().slice(0, 10)
  return letter({
    subject: `${companyName} is approved: raise your anchor`,
    paragraphs: [
      'Hello,',
      `the application for ${companyName} is approved. Choose your anchor's address and we raise it for you.`,
    ],
    link: { label: 'Raise the anchor', url: redeemUrl },
    footnote: `The link works once, until ${day}. Whoever holds it can use it: please do not pass it on.`,
  })
}
