import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { confirmAdministrator, getAdminSignOn } from '@windlass/contracts/platform/administrators.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ConfirmIdentity } from '@windlass/ui/console/second-factor-proof.tsx'
import { PasswordField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { Link, useLocation } from 'react-router'
import { call, query } from '../api.ts'
import { paths } from '../paths.ts'
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

/** For who signs in by the platform's provider and has no second factor here. */
function SignOnAgain() {
  const { pathname, search } = useLocation()
  const { data } = useQuery(query(getAdminSignOn))
  if (!data?.confirms) return null
  return (
    <p className="text-14 text-soft">
      {texts.signOn.hint}{' '}
      <Link className="link" to={paths.singleSignOn(pathname + search)}>
        {texts.signOn.again}
      </Link>
    </p>
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
      <SignOnAgain />
    </FormShell>
  )
}
