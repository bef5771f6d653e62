import {
  getSingleSignOn,
  removeSingleSignOn,
  setSingleSignOn,
  type SingleSignOn,
} from '@windlass/contracts/platform/single-sign-on.ts'
import { useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { describeError, fieldErrorsOf } from '@windlass/ui/console/errors.ts'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { PasswordField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'
import { signOn as texts } from './single-sign-on-texts.ts'

/** The provider by which members sign in, for owners. */
export default function SingleSignOnPanel({ organizationId }: { organizationId: string }) {
  const params = { organizationId }
  const state = useQuery(operator.query(getSingleSignOn, { params }))
  const [open, setOpen] = useState<'set' | 'remove'>()
  const form = {
    organizationId,
    onClose: () => setOpen(undefined),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ['operator'] })
      setOpen(undefined)
    },
  }
  const provider = state.data?.provider ?? null
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          <div className="flex flex-wrap gap-2">
            {provider && (
              <Button look="quietDanger" onClick={() => setOpen('remove')}>
                {texts.remove}
              </Button>
            )}
            <Button onClick={() => setOpen('set')}>{provider ? texts.change : texts.set}</Button>
          </div>
        }
      />
      <DataScreen query={state} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ redirectUrl, signInUrl }) => (
          <Panel className="space-y-4 p-4 sm:p-5">
            {provider && Date.parse(provider.opensAt) > Date.now() && (
              <Notice tone="info" title={texts.opens(formatDateTime(provider.opensAt), provider.setBy)} />
            )}
            <Facts>
              <Fact
                name={texts.redirect}
                action={<CopyButton value={redirectUrl} what={texts.copyRedirect} />}
              >
                <code className="font-mono text-13 break-all">{redirectUrl}</code>
              </Fact>
              {provider && <Provider provider={provider} signInUrl={signInUrl} />}
            </Facts>
          </Panel>
        )}
      </DataScreen>
      {open === 'set' && <SetForm {...form} provider={provider} />}
      {open === 'remove' && <RemoveForm {...form} />}
    </section>
  )
}

function Provider({ provider, signInUrl }: { provider: SingleSignOn; signInUrl: string }) {
  return (
    <>
      <Fact name={texts.signIn} action={<CopyButton value={signInUrl} what={texts.copySignIn} />}>
        <code className="font-mono text-13 break-all">{signInUrl}</code>
      </Fact>
      <Fact name={texts.issuer.label}>
        <span className="break-all">{provider.issuer}</span>
      </Fact>
      <Fact name={texts.clientId}>
        <span className="break-all">{provider.clientId}</span>
      </Fact>
      <Fact name={texts.trusts.label}>{provider.trustsSecondFactor ? texts.yes : texts.no}</Fact>
    </>
  )
}

interface FormProps {
  organizationId: string
  onDone(): Promise<void>
  onClose(): void
}

const explain = (error: unknown) => {
  const errors: FormErrors = { ...fieldErrorsOf(error) }
  if (errors['issuer']) errors['issuer'] = texts.issuer.refused
  return Object.keys(errors).length > 0
    ? { errors }
    : { failure: { ...describeError(error), title: texts.failed } }
}

function SetForm({
  organizationId,
  provider,
  onDone,
  onClose,
}: FormProps & { provider: SingleSignOn | null }) {
  const form = useForm({
    initial: {
      issuer: provider?.issuer ?? '',
      clientId: provider?.clientId ?? '',
      clientSecret: '',
      trusts: provider?.trustsSecondFactor ? ['yes'] : [],
    },
    check: ({ issuer, clientId, clientSecret }): FormErrors => {
      const same = provider?.issuer === issuer.trim() && provider.clientId === clientId.trim()
      return {
        ...(issuer.trim() === '' && { issuer: texts.issuer.missing }),
        ...(clientId.trim() === '' && { clientId: texts.missing }),
        ...(clientSecret === '' && !same && { clientSecret: texts.missing }),
      }
    },
    explain,
    send: async ({ issuer, clientId, clientSecret, trusts }) => {
      const body = {
        issuer: issuer.trim(),
        clientId: clientId.trim(),
        ...(clientSecret === '' ? {} : { clientSecret }),
        trustsSecondFactor: trusts.length > 0,
      }
      await operator.call(setSingleSignOn, { params: { organizationId }, body })
      await onDone()
    },
  })
  return (
    <FormPanel title={texts.set} lead={texts.setLead} form={form} send={texts.save} onClose={onClose}>
      <TextField name="issuer" label={texts.issuer.label} hint={texts.issuer.hint} maxLength={500} />
      <TextField name="clientId" label={texts.clientId} autoComplete="off" maxLength={500} />
      <PasswordField
        name="clientSecret"
        label={texts.clientSecret.label}
        {...(provider && { hint: texts.clientSecret.kept })}
        autoComplete="off"
      />
      <ChoicesField
        name="trusts"
        label={texts.trusts.group}
        optional
        choices={[{ value: 'yes', label: texts.trusts.label, hint: texts.trusts.hint }]}
      />
    </FormPanel>
  )
}

function RemoveForm({ organizationId, onDone, onClose }: FormProps) {
  return (
    <ConfirmPanel
      title={texts.remove}
      lead={texts.removeLead}
      send={texts.remove}
      look="danger"
      act={async () => {
        await operator.call(removeSingleSignOn, { params: { organizationId } })
        await onDone()
      }}
      explain={explain}
      onClose={onClose}
    />
  )
}
