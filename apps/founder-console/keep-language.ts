import { chooseOperatorLanguage } from '@windlass/contracts/platform/emails.ts'
import type { KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { hint, operator } from './session.ts'

/** Keeps the language with the operator's account, where one is signed in. */
export const keepLanguage: KeepLanguage = async (language, signal) => {
  if (hint.mayBeSignedIn()) await operator.call(chooseOperatorLanguage, { body: { language }, signal })
}
