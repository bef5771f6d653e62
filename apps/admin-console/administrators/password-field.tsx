import { PasswordField } from '@windlass/ui/field.tsx'
import { strengthOf } from '@windlass/ui/password-strength.ts'
import { StrengthMeter } from '@windlass/ui/strength-meter.tsx'
import { administrators } from './texts.ts'

const texts = administrators.password

/** Why a new password cannot be sent. The platform also refuses passwords that are easy to guess. */
export function passwordFault(password: string): string | undefined {
  if (password.length < 12) return texts.tooShort
  return password.length > 256 ? texts.tooLong : undefined
}

interface NewPasswordProps {
  password: string
  /** Words about the person, which make a password easier to guess. */
  known: readonly string[]
  label: string
}

export function NewPasswordField({ password, known, label }: NewPasswordProps) {
  return (
    <PasswordField name="password" label={label} hint={texts.hint} autoComplete="new-password">
      <StrengthMeter strength={password ? strengthOf(password, known) : undefined} />
    </PasswordField>
  )
}
