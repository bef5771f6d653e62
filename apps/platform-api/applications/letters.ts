import { letter, oneLine, type Letter } from '../mail/letter.ts'

export function rejectionLetter(company: string, reason: string | null): Letter {
  const companyName = oneLine(company)
  return letter({
    subject: `Your application for ${companyName}`,
    paragraphs: [
      'Hello,',
      `we have looked at the application for ${companyName} and cannot approve it.`,
      ...(reason ? [`The reason given: ${reason}`] : []),
      'You are welcome to apply again. Credentials of payment rails that came with the application have been deleted.',
    ],
  })
}
