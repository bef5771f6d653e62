import type { TravelProvider } from '@windlass/contracts/anchor/travel-messages.ts'
import {
  deleteWorkspaceTravelProvider,
  listWorkspaceTravelProviders,
  putWorkspaceTravelProvider,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatCountry, formatDate } from '@windlass/ui/formats.ts'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { type FormProps, useEntryForms } from './entry-forms.tsx'
import { texts } from './provider-texts.ts'

/** Providers that data of the travel rule is exchanged with. */
export function Providers() {
  const { id: anchorId } = useWorkspace()
  const found = useQuery(operator.query(listWorkspaceTravelProviders, { params: { anchorId } }))
  const {
    columns: actions,
    add,
    opened,
  } = useEntryForms<TravelProvider>({
    texts,
    listed: listWorkspaceTravelProviders,
    form: (provider, props) => <ProviderForm provider={provider} {...props} />,
    ending: (provider, props) => <RemoveForm provider={provider} {...props} />,
  })
  const { columns: heads } = texts
  const columns: Column<TravelProvider>[] = [
    { head: heads.name, className: 'font-medium wrap-anywhere', value: row => row.name },
    { head: heads.country, value: row => formatCountry(row.country) },
    { head: heads.lei, className: 'font-mono text-soft', cell: row => row.lei },
    {
      head: heads.agreed,
      className: 'whitespace-nowrap text-soft',
      cell: row => row.agreedOn && formatDate(row.agreedOn),
    },
    {
      head: heads.address,
      cell: row =>
        row.travelAddress === null ? (
          texts.none
        ) : (
          <Identifier value={row.travelAddress} what={`${heads.address}: ${row.name}`} />
        ),
    },
    ...actions,
  ]
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} actions={add} />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-32" />}>
        {({ travelAddress, providers }) => (
          <>
            <Facts>
              <Fact name={texts.own}>
                <Identifier value={travelAddress} what={texts.own} />
              </Fact>
            </Facts>
            {providers.length === 0 ? (
              <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>
            ) : (
              <Table caption={texts.title} columns={columns} rows={providers} keyOf={row => row.id} />
            )}
          </>
        )}
      </DataScreen>
      {opened}
    </section>
  )
}

/** As many programs write them: in capitals, with colons. */
const digestsIn = (text: string): string[] => wordsIn(text.replaceAll(':', '').toLowerCase())

/** Absent: as it was. */
function ownOf({ certificate, key, forget }: { certificate: string; key: string; forget: string[] }) {
  if (certificate.trim() !== '') return { ownCertificate: { certificate, key } }
  return forget.length > 0 ? { ownCertificate: null } : {}
}

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter(word => word !== '')

function ProviderForm({ provider, onDone, onClose }: FormProps & { provider: TravelProvider | undefined }) {
  const { id: anchorId } = useWorkspace()
  // One provider, however often it is sent.
  const [id] = useState(() => provider?.id ?? crypto.randomUUID())
  const { form: words } = texts
  const form = useForm({
    initial: {
      ...{ name: provider?.name ?? '', lei: provider?.lei ?? '', country: provider?.country ?? '' },
      ...{ licence: provider?.licence ?? '', agreed: provider?.agreedOn ?? '' },
      ...{ address: provider?.travelAddress ?? '', domains: provider?.domains.join(' ') ?? '' },
      accounts: provider?.accounts.join(' ') ?? '',
      ...{ theirs: provider?.clientCertificates?.join(' ') ?? '', authority: provider?.authority ?? '' },
      ...{ certificate: '', key: '', forget: [] as string[] },
    },
    check: ({ name, country, certificate, key, theirs }): FormErrors => ({
      ...(name.trim() === '' && { name: words.missing }),
      ...(!/^[A-Z]{2}$/i.test(country.trim()) && { country: words.invalidCountry }),
      ...((certificate.trim() === '') !== (key.trim() === '') && { key: words.invalidKey }),
      ...(!digestsIn(theirs).every(each => /^[0-9a-f]{64}$/.test(each)) && { theirs: words.invalidDigest }),
    }),
    send: async ({ name, lei, country, licence, agreed, address, domains, accounts, ...tls }) => {
      const body = {
        ...{
          name: name.trim(),
          lei: lei.trim().toUpperCase() || null,
          country: country.trim().toUpperCase(),
        },
        ...{ licence: licence.trim() || null, agreedOn: agreed || null },
        ...{ travelAddress: address.trim() || null, domains: wordsIn(domains), accounts: wordsIn(accounts) },
        ...{ clientCertificates: digestsIn(tls.theirs), authority: tls.authority.trim() || null },
        ...ownOf(tls),
      }
      await operator.call(putWorkspaceTravelProvider, { params: { anchorId, id }, body })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <TextField name="name" label={words.name} autoComplete="off" maxLength={200} />
      <TextField name="lei" label={words.lei} autoComplete="off" maxLength={20} optional />
      <TextField name="country" {...words.country} autoComplete="off" maxLength={2} />
      <TextField name="licence" label={words.licence} autoComplete="off" maxLength={200} optional />
      <TextField name="agreed" label={words.agreed} type="date" optional />
      <TextField name="address" {...words.address} autoComplete="off" maxLength={1000} optional />
      <TextField name="domains" {...words.domains} autoComplete="off" optional />
      <TextField name="accounts" {...words.accounts} autoComplete="off" optional />
      <TextField name="theirs" {...words.theirs} autoComplete="off" optional />
      <TextAreaField name="authority" {...words.authority} maxLength={20_000} optional />
      <TextAreaField name="certificate" {...words.certificate} maxLength={20_000} optional />
      <TextAreaField name="key" label={words.key} maxLength={20_000} optional />
      {provider?.presents && (
        <ChoicesField
          name="forget"
          label={words.presents(formatDate(provider.presents.endsOn))}
          hint={provider.presents.sha256}
          choices={[{ value: 'forget', label: words.forget }]}
          optional
        />
      )}
    </FormPanel>
  )
}

function RemoveForm({ provider, onDone, onClose }: FormProps & { provider: TravelProvider }) {
  const { id: anchorId } = useWorkspace()
  const { ending: words } = texts
  return (
    <ConfirmPanel
      title={words.title(provider.name)}
      lead={words.note}
      send={words.send}
      look="danger"
      act={async () => {
        await operator.call(deleteWorkspaceTravelProvider, { params: { anchorId, id: provider.id } })
        onDone()
      }}
      explain={failedAs(words.failed)}
      onClose={onClose}
    />
  )
}
