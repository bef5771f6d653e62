import { describeError } from './errors.ts'
import { codeOf, fieldErrorsOf } from './errors.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../button.tsx'
import { CopyButton, Identifier } from '../copy-button.tsx'
import { Bar } from '../bar.tsx'
import { DataScreen } from '../data-screen.tsx'
import { TextField } from '../field.tsx'
import { QrCode } from '../qr-code.tsx'
import { FormShell, useForm } from '../form.tsx'
import { isDeclined, type SecondFactorApi } from './second-factor-api.ts'
import { secondFactorTexts as texts } from './second-factor-texts.ts'

interface AddProps {
  api: SecondFactorApi
  /** With recovery codes where it is the first second factor. */
  onAdded(recoveryCodes: string[] | undefined): void
}

export function AddPasskeyForm({ api, onAdded }: AddProps) {
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: texts.passkey.name.missing } : {}),
    send: async ({ name }) => onAdded(await api.addPasskey(name.trim())),
    explain: error => {
      const errors = fieldErrorsOf(error)
      if (errors.name) return { errors }
      const known = error instanceof Error && error.name === 'InvalidStateError'
      const title = known ? texts.passkey.known : isDeclined(error) ? texts.passkey.notAdded : undefined
      const failure = describeError(error)
      return { failure: title ? { kind: 'refused', title, detail: '' } : failure }
    },
  })
  return (
    <FormShell form={form}>
      <p className="text-14 text-soft">{texts.passkey.addLead}</p>
      <TextField
        name="name"
        label={texts.passkey.name.label}
        hint={texts.passkey.name.hint}
        maxLength={60}
        autoComplete="off"
      />
      <Button type="submit" look="primary" pending={form.pending}>
        {texts.passkey.add}
      </Button>
    </FormShell>
  )
}

export function AddAppForm({ api, onAdded }: AddProps) {
  const started = useQuery({
    queryKey: ['second-factor', 'app'],
    queryFn: () => api.startApp(),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => (code.trim() === '' ? { code: texts.app.code.missing } : {}),
    send: async ({ code }) => onAdded(await api.confirmApp(code)),
    explain: error =>
      codeOf(error) === 'second-factor-refused'
        ? { errors: { code: texts.code.refused } }
        : { failure: describeError(error) },
  })
  return (
    <DataScreen query={started} explain={describeError} skeleton={<Bar className="h-60" />}>
      {({ secret, qr }) => (
        <FormShell form={form}>
          <p className="text-14 text-soft">{texts.app.addLead}</p>
          <QrCode {...qr} label={texts.app.qr} />
          <div className="text-14">
            <p className="text-soft">{texts.app.secret}</p>
            <Identifier value={secret} what={texts.app.secretWhat} full />
          </div>
          <TextField
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            label={texts.app.code.label}
            hint={texts.app.code.hint}
            maxLength={20}
            className="font-mono tabular"
          />
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.app.confirm}
          </Button>
        </FormShell>
      )}
    </DataScreen>
  )
}

/** New recovery codes, displayed once. */
export function RecoveryCodes({ codes, onSaved }: { codes: readonly string[]; onSaved(): void }) {
  return (
    <div className="space-y-4" role="status">
      <p className="text-14 text-soft">{texts.codes.lead}</p>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-8 bg-sunken p-4 font-mono text-14 sm:grid-cols-2">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton value={codes.join('\n')} what={texts.codes.what} />
        <Button look="primary" onClick={onSaved}>
          {texts.codes.saved}
        </Button>
      </div>
    </div>
  )
}
