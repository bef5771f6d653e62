import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { resetOperatorSecondFactors } from '@windlass/contracts/platform/administrators.ts'
import { Button } from '@windlass/ui/button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { call } from '../api.ts'
import { account } from './texts.ts'

const texts = account.reset

/** Removes the second factors of an operator who lost them. */
export function ResetOperator() {
  const [done, setDone] = useState<string>()
  const form = useForm({
    initial: { email: '', reason: '' },
    check: ({ email, reason }): FormErrors => ({
      ...(email.trim() === '' && { email: texts.email.missing }),
      ...(reason.trim() === '' && { reason: texts.reason.missing }),
    }),
    send: async ({ email, reason }) => {
      setDone(undefined)
      await call(resetOperatorSecondFactors, { body: { email: email.trim(), reason: reason.trim() } })
      setDone(email.trim())
    },
    explain: error =>
      codeOf(error) === 'second-factor-not-found'
        ? { errors: { email: texts.unknown } }
        : { failure: describeError(error) },
  })
  return (
    <section className="max-w-[560px] space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {done && <Notice tone="good" role="status" title={texts.done(done)} />}
      <FormShell form={form} className="space-y-4">
        <TextField name="email" type="email" label={texts.email.label} autoComplete="off" maxLength={254} />
        <TextField
          name="reason"
          label={texts.reason.label}
          hint={texts.reason.hint}
          autoComplete="off"
          maxLength={500}
        />
        <Button type="submit" look="danger" pending={form.pending}>
          {texts.send}
        </Button>
      </FormShell>
    </section>
  )
}
