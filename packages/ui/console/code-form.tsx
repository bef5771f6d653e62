import { codeOf, describeError, failedAs } from './errors.ts'
import type { SignInStep } from '@windlass/contracts/realm.ts'
import { useEffect, useState } from 'react'
import { Button } from '../button.tsx'
import { useNow } from '../data-screen.tsx'
import { TextField } from '../field.tsx'
import { fieldId } from '../focus-field.ts'
import { FormShell, useForm } from '../form.tsx'
import { signIn as texts, type CodeSignInProps } from './code-sign-in-texts.ts'

const RESEND_AFTER_MS = 60_000

/** The second step: the code, a new one after a minute, or another address. */
export default function CodeForm({
  requestCode,
  verifyCode,
  onSignedIn,
  email,
  onChangeEmail,
  onAwaiting,
}: CodeSignInProps & { email: string; onChangeEmail(): void; onAwaiting(step: SignInStep): void }) {
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => {
      const digits = code.replace(/[\s-]/g, '')
      if (digits === '') return { code: texts.code.missing }
      return /^\d{6}$/.test(digits) ? {} : { code: texts.code.wrong }
    },
    send: async ({ code }) => {
      const { awaiting } = await verifyCode(email, code.replace(/[\s-]/g, ''))
      if (awaiting) onAwaiting(awaiting)
      else await onSignedIn()
    },
    explain: error =>
      codeOf(error) === 'code-not-accepted'
        ? { errors: { code: texts.code.refused } }
        : { failure: { ...describeError(error), title: texts.failed } },
  })
  useEffect(() => document.getElementById(fieldId(form.id, 'code'))?.focus(), [form.id])
  return (
    <>
      <FormShell form={form}>
        <TextField
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          label={texts.code.label}
          hint={texts.code.hint}
          maxLength={20}
          className="font-mono text-18 tracking-[0.2em] tabular"
        />
        <Button type="submit" look="primary" pending={form.pending} className="w-full">
          {texts.verify}
        </Button>
      </FormShell>
      <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line pt-4">
        <Resend requestCode={requestCode} email={email} />
        <button type="button" className="link text-14" onClick={onChangeEmail}>
          {texts.changeEmail}
        </button>
      </div>
    </>
  )
}

function Resend({ requestCode, email }: Pick<CodeSignInProps, 'requestCode'> & { email: string }) {
  const [since, setSince] = useState(() => Date.now())
  const now = useNow(1_000)
  const [sent, setSent] = useState(false)
  const form = useForm({
    initial: {},
    check: () => ({}),
    send: async () => {
      await requestCode(email)
      setSince(Date.now())
      setSent(true)
    },
    explain: failedAs(texts.failed),
  })
  const left = Math.ceil((since + RESEND_AFTER_MS - now) / 1000)
  return (
    <FormShell form={form} className="space-y-2 text-13 text-soft">
      <p role="status">{sent && texts.resent}</p>
      {left > 0 ? (
        <p className="tabular">{texts.resendIn(left)}</p>
      ) : (
        <Button type="submit" look="quiet" className="-ml-3.5" pending={form.pending}>
          {texts.resend}
        </Button>
      )}
    </FormShell>
  )
}
