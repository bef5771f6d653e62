import { troubleOf } from '@windlass/client/trouble.ts'
import { requestOperatorCode } from '@windlass/contracts/operators.ts'
import { Button } from '@windlass/ui/button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { call } from '../api.ts'
import { shell } from '../texts/shell.ts'
import { signIn as texts } from '../texts/sign-in.ts'
import { CodeForm } from './code-form.tsx'

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
    explain: error => ({ trouble: { ...troubleOf(error), title: texts.failed } }),
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
