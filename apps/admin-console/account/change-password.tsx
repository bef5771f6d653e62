import { changeAdministratorPassword } from '@windlass/contracts/platform/administrator-accounts.ts'
import { describeError, fieldErrorsOf } from '@windlass/ui/console/errors.ts'
import { Button } from '@windlass/ui/button.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { NewPasswordField, passwordFault } from '../administrators/password-field.tsx'
import { administrators } from '../administrators/texts.ts'
import { call, queries } from '../api.ts'

const texts = administrators.password

/** For those with a password of their own: the first owner's is in the settings. */
export function ChangePassword({ username }: { username: string }) {
  const [done, setDone] = useState(false)
  const form = useForm({
    initial: { password: '' },
    check: ({ password }): FormErrors => {
      const fault = passwordFault(password)
      return fault ? { password: fault } : {}
    },
    send: async ({ password }) => {
      setDone(false)
      await call(changeAdministratorPassword, { body: { password } })
      setDone(true)
      await queries.invalidateQueries()
    },
    explain: error => {
      const errors = fieldErrorsOf(error)
      return Object.keys(errors).length > 0 ? { errors } : { failure: describeError(error) }
    },
  })
  return (
    <section className="max-w-[560px] space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {done && <Notice tone="good" role="status" title={texts.done} />}
      <FormShell form={form} className="space-y-4">
        <NewPasswordField password={form.values.password} known={[username]} label={texts.label} />
        <Button type="submit" pending={form.pending}>
          {texts.send}
        </Button>
      </FormShell>
    </section>
  )
}
