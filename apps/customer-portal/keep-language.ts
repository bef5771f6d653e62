import { chooseCustomerLanguage } from '@windlass/contracts/platform/emails.ts'
import type { KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { call } from './api.ts'
import { hint } from './session.ts'

/** Keeps the language with the customer's account, where one is signed in. */
export const keepLanguage: KeepLanguage = async (language, signal) => {
  if (hint.mayBeSignedIn()) await call(chooseCustomerLanguage, { body: { language }, signal })
}
