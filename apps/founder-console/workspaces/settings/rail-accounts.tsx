import { accountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import { describeError, fieldErrorsOf } from '@windlass/ui/console/errors.ts'
import { railNames } from '@windlass/contracts/platform/application-fields.ts'
import {
  approveRailChange,
  cancelRailChange,
  getWorkspaceRails,
  requestRailChange,
  type RailChange,
} from '@windlass/contracts/platform/rail-changes.ts'
import {
  credentialFault,
  credentialFields,
  isRailProvider,
  railProviders,
} from '@windlass/contracts/platform/rail-credentials.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, type FormValues, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './texts.ts'

const railsQuery = (anchorId: string) => operator.query(getWorkspaceRails, { params: { anchorId } })

const labelOf = ({ rail, provider }: RailChange, field: string): string =>
  (isRailProvider(provider) ? credentialFields(provider, rail)[field]?.label : undefined) ?? field

/** The accounts that customers pay to, and how two people change them. */
export function RailAccounts() {
  const { id: anchorId } = useWorkspace()
  const [editing, setEditing] = useState(false)
  const query = useQuery(railsQuery(anchorId))
  const words = texts.accounts
  return (
    <section className="space-y-3">
      <SectionHeading
        title={words.title}
        lead={words.lead}
        actions={<Button onClick={() => setEditing(true)}>{words.change}</Button>}
      />
      <DataScreen query={query} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ rails, changes }) => (
          <>
            {changes.map(change => (
              <Change key={change.id} change={change} />
            ))}
            {changes.length === 0 && <p className="text-14 text-soft">{words.none(rails.join(', '))}</p>}
            {editing && <ChangeForm rails={rails} onClose={() => setEditing(false)} />}
          </>
        )}
      </DataScreen>
    </section>
  )
}

function Change({ change }: { change: RailChange }) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const nameOf = useMemberName()
  const words = texts.accounts
  const params = { anchorId, id: change.id }
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(approve ? approveRailChange : cancelRailChange, { params }),
    onSettled: () => refresh(getWorkspaceRails),
  })
  const isOwn = change.requestedBy === `operator:${ownId}`
  const { requestedAt, decidedAt, decidedBy } = change
  return (
    <Panel className="space-y-4 px-4 py-4 sm:px-5">
      <h3 className="font-semibold">{words.of(change.rail, change.adds)}</h3>
      <p className="text-14 text-soft">
        {words.requested(nameOf(change.requestedBy), formatDateTime(requestedAt))}{' '}
        {decidedAt && decidedBy && change.status !== 'waiting'
          ? words.decided[change.status](nameOf(decidedBy), formatDateTime(decidedAt))
          : isOwn
            ? words.waitsForOther
            : words.waits}
      </p>
      <Facts>
        <Fact name={words.provider}>
          {isRailProvider(change.provider) ? railProviders[change.provider].label : change.provider}
        </Fact>
        {Object.entries(change.fields).map(([field, value]) => (
          <Fact key={field} name={labelOf(change, field)}>
            <span className="font-mono wrap-anywhere">{value}</span>
          </Fact>
        ))}
        {change.secrets.map(field => (
          <Fact key={field} name={labelOf(change, field)}>
            {words.secret}
          </Fact>
        ))}
      </Facts>
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: words.failed }} />}
      {change.status === 'waiting' && (
        <div className="flex flex-wrap gap-2">
          {!isOwn && (
            <Button look="primary" pending={decide.isPending} onClick={() => decide.mutate(true)}>
              {words.approve}
            </Button>
          )}
          <Button look="quietDanger" pending={decide.isPending} onClick={() => decide.mutate(false)}>
            {words.cancel}
          </Button>
        </div>
      )}
    </Panel>
  )
}

const providersFor = (rail: string) =>
  Object.keys(railProviders)
    .filter(isRailProvider)
    .filter(provider => Object.keys(credentialFields(provider, rail)).length > 0)

const fieldsFor = (rail: string, provider: string) =>
  isRailProvider(provider) ? Object.entries(credentialFields(provider, rail)) : []

function ChangeForm({ rails, onClose }: { rails: readonly string[]; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const words = texts.accounts
  const initial: FormValues = { rail: rails[0] ?? '', provider: providersFor(rails[0] ?? '')[0] ?? '' }
  const text = (values: FormValues, name: string) => String(values[name] ?? '').trim()
  const form = useForm({
    initial,
    check: values => {
      const errors: FormErrors = {}
      for (const [name, field] of fieldsFor(text(values, 'rail'), text(values, 'provider'))) {
        const value = text(values, `credentials.${name}`)
        const fault = value === '' ? null : credentialFault(field, value, accountChecks)
        if (value === '' && field.required) errors[`credentials.${name}`] = words.missing(field.label)
        if (fault) errors[`credentials.${name}`] = words.wrong(field.label, fault)
      }
      return errors
    },
    send: async values => {
      const [rail, provider] = [text(values, 'rail'), text(values, 'provider')]
      const credentials = Object.fromEntries(
        fieldsFor(rail, provider).map(([name]) => [name, text(values, `credentials.${name}`)]),
      )
      await operator.call(requestRailChange, {
        params: { anchorId },
        body: { rail: railNames.find(each => each === rail) ?? 'SEPA', provider, credentials },
      })
      await refresh(getWorkspaceRails)
      onClose()
    },
    explain: error => ({
      errors: fieldErrorsOf(error),
      failure: { ...describeError(error), title: words.failed },
    }),
  })
  const [rail, provider] = [text(form.values, 'rail'), text(form.values, 'provider')]
  const offered = providersFor(rail)
  return (
    <FormPanel title={words.change} lead={words.formLead} form={form} send={words.send} onClose={onClose}>
      <SelectField
        name="rail"
        label={words.rail}
        choices={railNames.map(value => ({
          value,
          label: rails.includes(value) ? value : words.added(value),
        }))}
        required
      />
      <SelectField
        name="provider"
        label={words.provider}
        choices={offered.map(value => ({ value, label: railProviders[value].label }))}
        required
      />
      {fieldsFor(rail, provider).map(([name, { label, hint, secret, maxLength, required }]) => (
        <TextField
          key={`${rail}.${provider}.${name}`}
          name={`credentials.${name}`}
          {...{ label, hint, maxLength }}
          optional={!required}
          autoComplete="off"
          type={secret ? 'password' : 'text'}
        />
      ))}
    </FormPanel>
  )
}
