import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { deleteCustomerAccount, requestCustomerCode } from '@windlass/contracts/platform/customers.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call, queries } from '../api.ts'
import { paths } from '../paths.ts'
import { forgetPerson } from '../session.ts'
import { account } from './texts.ts'

const texts = account.deletion

/** Deletes the account after a code by email. */
export function Deletion({ email }: { email: string }) {
  const [open, setOpen] = useState(false)
  const request = useMutation({
    mutationFn: () => call(requestCustomerCode, { body: { email, purpose: 'deletion' } }),
    onSuccess: () => setOpen(true),
  })
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <p className="max-w-[62ch] text-14 text-soft">{texts.kept}</p>
      {request.error && <ErrorNotice failure={{ ...describeError(request.error), title: texts.failed }} />}
      <Button look="danger" pending={request.isPending} onClick={() => request.mutate()}>
        {texts.action}
      </Button>
      {open && <ConfirmDeletion email={email} onClose={() => setOpen(false)} />}
    </section>
  )
}

function ConfirmDeletion({ email, onClose }: { email: string; onClose(): void }) {
  const navigate = useNavigate()
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => (/^\d{6}$/.test(digitsOf(code)) ? {} : { code: texts.code.missing }),
    send: async ({ code }) => {
      await call(deleteCustomerAccount, { body: { code: digitsOf(code) } })
      queries.clear()
      forgetPerson()
      await navigate(paths.home())
    },
    explain: error =>
      codeOf(error) === 'confirmation-refused'
        ? { errors: { code: texts.code.refused } }
        : { failure: { ...describeError(error), title: texts.failed } },
  })
  return (
    <FormPanel
      title={texts.title}
      lead={texts.sent(email)}
      form={form}
      send={texts.confirm}
      look="danger"
      onClose={onClose}
    >
      <TextField
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        label={texts.code.label}
        maxLength={20}
      />
    </FormPanel>
  )
}

const digitsOf = (code: string): string => code.replace(/[\s-]/g, '')
