import { codeOf, describeError } from '@windlass/client/errors.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/operators.ts'
import { Button } from '@windlass/ui/button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useMutation } from '@tanstack/react-query'
import { ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { fieldId } from '@windlass/ui/focus-field.ts'
import { call, queries } from '../api.ts'
import { shell } from '../texts.ts'
import { hint } from '../operator.ts'
import { paths } from '../paths.ts'
import { signIn as texts } from './texts.ts'

export function Component() {
  const [sentTo, setSentTo] = useState<string>()
  const { state } = useLocation() as { state: { expired?: boolean } | null }
  return (
    <div className="flex flex-1 items-center justify-center bg-deep px-4 py-10 sm:py-16">
      <Panel className="w-full max-w-[440px] space-y-6 p-6 sm:p-8">
        {sentTo === undefined ? (
          <>
            <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
            {state?.expired && <Notice tone="info" role="status" title={texts.expired} />}
            <EmailForm onSent={setSentTo} />
          </>
        ) : (
          <>
            <PageHeading title={texts.sentTitle} product={shell.product} lead={texts.sentLead(sentTo)} />
            <CodeForm email={sentTo} onChangeEmail={() => setSentTo(undefined)} />
          </>
        )}
      </Panel>
    </div>
  )
}

function EmailForm({ onSent }: { onSent(email: string): void }) {
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => {
      if (email.trim() === '') return { email: texts.email.missing }
      return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? {} : { email: texts.email.wrong }
    },
    send: async ({ email }) => {
      await call(requestOperatorCode, { body: { email: email.trim() } })
      onSent(email.trim())
    },
    explain: error => ({ failure: { ...describeError(error), title: texts.failed } }),
  })
  return (
    <FormShell form={form}>
      <TextField
        name="email"
        type="email"
        inputMode="email"
        autoComplete="email"
        label={texts.email.label}
        hint={texts.email.hint}
      />
      <Button type="submit" look="primary" pending={form.pending} className="w-full">
        {texts.send}
      </Button>
    </FormShell>
  )
}

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
      // The cache may hold the records of another person who was signed in before.
      queries.clear()
      hint.keep()
      await navigate(paths.afterSignIn(query.get('from')), { replace: true })
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
      {resend.error && <ErrorNotice failure={{ ...describeError(resend.error), title: texts.failed }} />}
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
