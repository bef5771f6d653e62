import { codeOf, describeError } from './errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Bar } from '../bar.tsx'
import { DataScreen, ErrorNotice } from '../data-screen.tsx'
import { TextField } from '../field.tsx'
import { FormShell, useForm } from '../form.tsx'
import { Panel } from '../page.tsx'
import { isDeclined, type SecondFactorApi } from './second-factor-api.ts'
import { secondFactorTexts as texts } from './second-factor-texts.ts'

interface ProofProps {
  api: SecondFactorApi
  onDone(): void
}

/** Asks for one of the person's second factors; `without` is shown to a person who has none. */
export function SecondFactorProof({ api, onDone, without }: ProofProps & { without?: ReactNode }) {
  const [lost, setLost] = useState(false)
  const methods = useQuery({
    queryKey: ['second-factor', 'methods'],
    queryFn: () => api.methods(),
    staleTime: Infinity,
    gcTime: 0,
  })
  if (lost) return <RecoveryCodeForm api={api} onDone={onDone} onBack={() => setLost(false)} />
  return (
    <DataScreen query={methods} explain={describeError} skeleton={<Bar className="h-24" />}>
      {has => (
        <div className="space-y-5">
          {has.includes('passkey') && <PasskeyButton api={api} onDone={onDone} />}
          {has.includes('authenticator-app') && <AppCodeForm api={api} onDone={onDone} />}
          {has.length === 0 && without}
          {has.includes('recovery-code') && (
            <button type="button" className="link text-14" onClick={() => setLost(true)}>
              {texts.recovery.lost}
            </button>
          )}
        </div>
      )}
    </DataScreen>
  )
}

function PasskeyButton({ api, onDone }: ProofProps) {
  const use = useMutation({ mutationFn: () => api.verifyPasskey(), onSuccess: onDone })
  const failure = use.error && describeError(use.error)
  return (
    <div className="space-y-3">
      {failure && (
        <ErrorNotice
          failure={
            isDeclined(use.error)
              ? { ...failure, kind: 'refused', title: texts.passkey.declined, detail: '' }
              : failure
          }
        />
      )}
      <Button look="primary" className="w-full" pending={use.isPending} onClick={() => use.mutate()}>
        {texts.passkey.use}
      </Button>
    </div>
  )
}

function AppCodeForm({ api, onDone }: ProofProps) {
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => (code.trim() === '' ? { code: texts.code.missing } : {}),
    send: async ({ code }) => {
      await api.verify({ code })
      onDone()
    },
    explain: error => explainCode(error, 'code', texts.code.refused),
  })
  return (
    <FormShell form={form} className="space-y-4">
      <TextField
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        label={texts.code.label}
        maxLength={20}
        className="font-mono tabular"
      />
      <Button type="submit" look="primary" className="w-full" pending={form.pending}>
        {texts.code.use}
      </Button>
    </FormShell>
  )
}

function RecoveryCodeForm({ api, onDone, onBack }: ProofProps & { onBack(): void }) {
  const form = useForm({
    initial: { recoveryCode: '' },
    check: ({ recoveryCode }) => (recoveryCode.trim() === '' ? { recoveryCode: texts.recovery.missing } : {}),
    send: async ({ recoveryCode }) => {
      await api.verify({ recoveryCode })
      onDone()
    },
    explain: error => explainCode(error, 'recoveryCode', texts.recovery.refused),
  })
  return (
    <div className="space-y-5">
      <FormShell form={form} className="space-y-4">
        <TextField
          name="recoveryCode"
          label={texts.recovery.label}
          hint={texts.recovery.hint}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={60}
          className="font-mono"
        />
        <Button type="submit" look="primary" className="w-full" pending={form.pending}>
          {texts.recovery.use}
        </Button>
      </FormShell>
      <button type="button" className="link text-14" onClick={onBack}>
        {texts.recovery.back}
      </button>
    </div>
  )
}

const explainCode = (error: unknown, field: string, refused: string) =>
  codeOf(error) === 'second-factor-refused'
    ? { errors: { [field]: refused } }
    : { failure: describeError(error) }

interface ConfirmIdentityProps {
  api: SecondFactorApi
  onConfirmed(): void
  onCancel(): void
  /** The form for a person without a second factor. */
  children: ReactNode
}

/** Proves again who is signed in, before a dangerous change. */
export function ConfirmIdentity({ api, onConfirmed, onCancel, children }: ConfirmIdentityProps) {
  return (
    <Panel className="mb-6 space-y-4 p-4">
      <div>
        <h3 className="font-semibold" tabIndex={-1} ref={heading => heading?.focus()}>
          {texts.confirm.title}
        </h3>
        <p className="text-14 text-soft">{texts.confirm.lead}</p>
      </div>
      <SecondFactorProof api={api} onDone={onConfirmed} without={children} />
      <Button look="quiet" className="-ml-3.5" onClick={onCancel}>
        {texts.confirm.cancel}
      </Button>
    </Panel>
  )
}
