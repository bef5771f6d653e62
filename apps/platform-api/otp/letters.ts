import { letter, type Letter } from '../mail/letter.ts'

export const CODE_MINUTES = 5

/** The code stands in the text alone: subjects show on locked screens. */
export function codeLetter(code: string): Letter {
  return letter({
    subject: 'Your sign-in code',
    paragraphs: [
      'Hello,',
      `type this code where you asked for it. It is good for ${CODE_MINUTES} minutes, once.`,
    ],
    code,
    footnote: 'If you did not ask for a code, ignore this mail: without the code nobody can sign in.',
  })
}
