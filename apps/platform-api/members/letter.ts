import type { Member } from '@windlass/contracts/members.ts'
import { letter, oneLine, type Letter } from '../mail/letter.ts'

interface Welcome {
  organization: string
  inviter: string
  role: Member['role']
  consoleUrl: string
}

/** Tells somebody that they belong to an organization now, and where to sign in. */
export function welcomeLetter({ organization, inviter, role, consoleUrl }: Welcome): Letter {
  const name = oneLine(organization)
  return letter({
    subject: `You belong to ${name} on Windlass now`,
    paragraphs: [
      'Hello,',
      `${oneLine(inviter)} made you ${role === 'member' ? 'a' : 'an'} ${role} of ${name}. Sign in with this mail address: a code comes by mail, there is no password to choose.`,
    ],
    link: { label: 'Sign in', url: `${consoleUrl}/workspaces` },
    footnote: 'If you do not know them, ignore this mail.',
  })
}
