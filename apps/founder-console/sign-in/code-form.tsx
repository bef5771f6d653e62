import { codeOf, troubleOf } from '@windlass/client/trouble.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/operators.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { TroubleNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { fieldId } from '@windlass/ui/focus-field.ts'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { call, queries } from '../api.ts'
import { hint } from '../operator.ts'
import { ownPath } from '../paths.ts'
import { signIn as texts } from '../texts/sign-in.ts'

const RESEND_AFTER_MS = 60_000

export function CodeForm({ email, onChangeEmail }: { email: string; onChangeEmail(): void }) {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => {
      const digits = code.replace(/[\s-]/g, '')
      if (digits === '') return { code: texts.code.missing }
      return /^\d{6}$/.test(digits) ? {} : { code: texts.code.wrong }
    },
    send: async ({ code }) => {
      await call(verifyOperatorCode, { body: { email, code: code.replace(/[\s-]/g, '') } })
      // Whoever was signed in here before left their records in the cache.
      queries.clear()
      hint.keep()
      await navigate(ownPath(query.get('from')), { replace: true })
    },
    explain: error =>
      codeOf(error) === 'code-not-accepted'
        ? { errors: { code: texts.code.refused } }
        : { trouble: { ...troubleOf(error), title: texts.failed } },
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
        <Resend email={email} />
        <button type="button" className="link text-14" onClick={onChangeEmail}>
          {texts.changeEmail}
        </button>
      </div>
    </>
  )
}

function Resend({ email }: { email: string }) {
  const [since, setSince] = useState(() => Date.now())
  const now = useNow(1_000)
  const resend = useMutation({
    mutationFn: () => call(requestOperatorCode, { body: { email } }),
    onSuccess: () => setSince(Date.now()),
  })
  const left = Math.ceil((since + RESEND_AFTER_MS - now) / 1000)
  return (
    <div className="space-y-2 text-13 text-soft">
      {resend.error && <TroubleNotice trouble={{ ...troubleOf(resend.error), title: texts.failed }} />}
      <p role="status">{resend.isSuccess && texts.resent}</p>
      {left > 0 ? (
        <p className="tabular">{texts.resendIn(left)}</p>
      ) : (
        <Button look="quiet" className="-ml-3.5" pending={resend.isPending} onClick={() => resend.mutate()}>
          {texts.resend}
        </Button>
      )}
    </div>
  )
}
