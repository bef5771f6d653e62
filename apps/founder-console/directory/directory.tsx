import { keyOf } from '@windlass/ui/console/query.ts'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import {
  listAnchors,
  registerExternalAnchor,
  type RegistryEntry,
} from '@windlass/contracts/aggregator/registry.ts'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { formatList, shorten } from '@windlass/ui/formats.ts'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, rowLink } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { refresh } from '../queries.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { aggregator } from './aggregator.ts'
import { Anchor } from './anchor.tsx'
import { Availability } from './availability.tsx'
import { Coverage } from './coverage.tsx'
import { feeOf } from './fees.ts'
import { directory as texts } from './texts.ts'

const DOMAIN = /^[a-z0-9.-]{1,253}(:\d{1,5})?$/i

const anchorsQuery = (available: boolean) =>
  infiniteQueryOptions({
    queryKey: keyOf(listAnchors, { query: { available } }, 'pages'),
    queryFn: async ({ pageParam, signal }) => {
      const query = { cursor: pageParam, available: available || undefined }
      const { body, headers } = await aggregator.send(listAnchors, { query, signal })
      return { rows: body.anchors, next: nextCursor(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
    refetchInterval: 15_000,
  })

/** Every anchor in the registry, or one of them, for anyone. */
export function Component() {
  const { anchorId } = useParams()
  return anchorId === undefined ? <Directory /> : <Anchor id={anchorId} />
}

/** Every anchor, and a form that adds one of another platform. */
function Directory() {
  const available = useSearchParams()[0].get('available') === 'true'
  const list = useInfiniteQuery(anchorsQuery(available))
  const [registering, setRegistering] = useState(false)
  const [registered, setRegistered] = useState<RegistryEntry>()
  return (
    <div className="mx-auto w-full max-w-[1120px] space-y-6 px-4 py-8 sm:px-6">
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={texts.lead}
        actions={<Button onClick={() => setRegistering(true)}>{texts.register.action}</Button>}
      />
      {registered && (
        <Notice
          tone="good"
          role="status"
          title={texts.register.done(registered.domain)}
          actions={
            <Link className="link" to={paths.anchor(registered.id)}>
              {texts.register.view}
            </Link>
          }
        />
      )}
      <Coverage anchors={rowsOf(list)} />
      <RecordList
        texts={texts}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filter={{
          value: available ? 'true' : undefined,
          options: [['true', texts.available]],
          to: value => paths.anchors({ available: value || undefined }),
        }}
      />
      {registering && (
        <Register
          onClose={() => setRegistering(false)}
          onDone={entry => {
            setRegistering(false)
            setRegistered(entry)
            void refresh(listAnchors)
          }}
        />
      )}
    </div>
  )
}

const columns: Column<RegistryEntry>[] = [
  {
    head: texts.columns.anchor,
    className: 'max-sm:w-full',
    cell: ({ id, name, domain, external }) => (
      <>
        <Link to={paths.anchor(id)} className={rowLink}>
          {name}
        </Link>{' '}
        {external && <Status tone="info">{texts.external}</Status>}
        <span className="block text-13 wrap-anywhere text-soft">{domain}</span>
      </>
    ),
  },
  {
    head: texts.columns.assets,
    cell: ({ assets }) => (
      <span className="flex flex-col">
        {assets.map(({ code, issuer }) => (
          <Code key={`${code}:${issuer}`}>
            {code} <span className="text-soft">{shorten(issuer, 4)}</span>
          </Code>
        ))}
      </span>
    ),
  },
  {
    head: texts.columns.rails,
    className: 'max-lg:hidden',
    cell: ({ rails }) => (rails.length > 0 ? formatList(rails) : texts.unknown),
  },
  {
    head: texts.columns.fee,
    named: true,
    className: 'max-sm:w-full',
    cell: row => feeOf(row, row.assets[0]) ?? texts.unknown,
  },
  { head: texts.columns.status, cell: row => <Availability entry={row} /> },
]

function Register({ onClose, onDone }: { onClose(): void; onDone(entry: RegistryEntry): void }) {
  const { register } = texts
  const form = useForm({
    initial: { homeDomain: '' },
    check: ({ homeDomain }) => (DOMAIN.test(homeDomain.trim()) ? {} : { homeDomain: register.domain.wrong }),
    send: async ({ homeDomain }) => {
      const body = { homeDomain: homeDomain.trim() }
      onDone((await aggregator.call(registerExternalAnchor, { body })).anchor)
    },
    explain: failedAs(register.failed),
  })
  return (
    <FormPanel title={register.title} form={form} send={register.submit} onClose={onClose}>
      <p className="text-14 text-soft">{register.lead}</p>
      <TextField
        name="homeDomain"
        label={register.domain.label}
        hint={register.domain.hint}
        maxLength={260}
        autoComplete="off"
      />
    </FormPanel>
  )
}
