import { letter, type Letter } from '../mail/letter.ts'

export function rejectionLetter(companyName: string, reason: string | null): Letter {
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
