import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { confirmAdministrator } from '@windlass/contracts/platform/administrators.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ConfirmIdentity } from '@windlass/ui/console/second-factor-proof.tsx'
import { PasswordField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { call } from '../api.ts'
import { secondFactors } from './second-factors.ts'
import { account } from './texts.ts'

const texts = account.confirm

/** Confirms the administrator's identity by the second factor, or by the password where there is none. */
export default function ConfirmAdministrator(props: { onConfirmed(): void; onCancel(): void }) {
  return (
    <ConfirmIdentity api={secondFactors} {...props}>
      <Password onConfirmed={props.onConfirmed} />
    </ConfirmIdentity>
  )
}

function Password({ onConfirmed }: { onConfirmed(): void }) {
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => (password === '' ? { password: texts.password.missing } : {}),
    send: async ({ password }) => {
      await call(confirmAdministrator, { body: { password } })
      onConfirmed()
    },
    explain: error =>
      codeOf(error) === 'confirmation-refused'
        ? { errors: { password: texts.password.wrong } }
        : { failure: describeError(error) },
  })
  return (
    <FormShell form={form} className="space-y-4">
      <PasswordField name="password" label={texts.password.label} autoComplete="current-password" />
      <Button type="submit" look="primary" pending={form.pending}>
        {texts.send}
      </Button>
    </FormShell>
  )
}
