import { ProblemError } from '@windlass/client/client.ts'
import { codeOf, fieldErrorsOf, troubleOf } from '@windlass/client/trouble.ts'
import { listAnchors } from '@windlass/contracts/registry.ts'
import { getDecision, routeTransaction, type RouteAnswer } from '@windlass/contracts/routing.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { useNavigate, useParams, type LoaderFunctionArgs } from 'react-router'
import { aggregator, queries } from '../api.ts'
import { paths } from '../paths.ts'
import { routing as texts } from '../texts/routing.ts'
import { shell } from '../texts/shell.ts'
import { DecisionView } from './decision-view.tsx'
import { LeftOut } from './left-out.tsx'

const decisionQuery = (id: string) =>
  queryOptions({
    queryKey: ['decision', id],
    queryFn: ({ signal }) => aggregator.call(getDecision, { params: { id }, signal }),
    // A decision never changes.
    staleTime: Infinity,
  })

export function loader({ params }: LoaderFunctionArgs) {
  if (params.decisionId) void queries.prefetchQuery(decisionQuery(params.decisionId))
  return null
}

/** Routes a transaction and explains the decision; each decision has an address. */
export function Component() {
  const { decisionId } = useParams()
  const [refused, setRefused] = useState<RouteAnswer['rejected']>()
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <TransactionForm onRefused={setRefused} />
      {refused && (
        <section className="space-y-4" aria-live="polite">
          <Notice tone="warn" title={texts.refused.title} role="status">
            {texts.refused.lead}
          </Notice>
          <LeftOut rejected={refused} />
        </section>
      )}
      {!refused && decisionId && <Decision key={decisionId} id={decisionId} />}
      {!refused && !decisionId && <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
    </>
  )
}

function Decision({ id }: { id: string }) {
  const decision = useQuery(decisionQuery(id))
  return (
    <DataScreen query={decision} explain={troubleOf} skeleton={<Bar className="h-80" />}>
      {made => <DecisionView decision={made} />}
    </DataScreen>
  )
}

/** What is registered, offered while typing. */
const offersQuery = queryOptions({
  queryKey: ['registry', 'offers'],
  queryFn: async ({ signal }) => {
    const { anchors } = await aggregator.call(listAnchors, { query: { status: 'active' }, signal })
    const distinct = (codes: string[]) => [...new Set(codes)].sort()
    return {
      assets: distinct(anchors.flatMap(({ assets }) => assets.map(({ code }) => code))),
      rails: distinct(anchors.flatMap(({ rails }) => rails)),
      regions: distinct(anchors.flatMap(({ regions }) => regions)),
    }
  },
  staleTime: 60_000,
})

function TransactionForm({ onRefused }: { onRefused(rejected: RouteAnswer['rejected'] | undefined): void }) {
  const navigate = useNavigate()
  const offers = useQuery(offersQuery).data
  const form = useForm({
    initial: { amount: '', asset: '', rail: '', region: '' },
    check,
    send: async ({ region, ...asked }) => {
      try {
        const made = await aggregator.call(routeTransaction, {
          body: { ...asked, ...(region ? { region } : {}) },
        })
        queries.setQueryData(decisionQuery(made.decisionId).queryKey, made)
        onRefused(undefined)
        await navigate(paths.routing(made.decisionId), { preventScrollReset: true })
      } catch (error) {
        if (codeOf(error) !== 'no-eligible-anchor') throw error
        onRefused((error as ProblemError).problem.rejected as RouteAnswer['rejected'])
      }
    },
    explain: error => {
      const errors = fieldErrorsOf(error)
      return Object.keys(errors).length > 0
        ? { errors }
        : { trouble: { ...troubleOf(error), title: texts.failed } }
    },
  })
  const upper = (text: string) => text.toUpperCase().trim()
  const offered = (name: string, codes: readonly string[] = []) => (
    <datalist id={`offered-${name}`}>
      {codes.map(code => (
        <option key={code} value={code} />
      ))}
    </datalist>
  )
  const { amount, asset, rail, region } = texts.fields
  return (
    <Panel className="p-4 sm:p-5">
      <FormShell form={form} className="space-y-4">
        <div className="grid items-end gap-4 sm:grid-cols-2 lg:grid-cols-4">
          <TextField
            {...amount}
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            className="tabular"
            clean={text => text.replace(',', '.').trim()}
          />
          <TextField {...asset} name="asset" autoComplete="off" list="offered-assets" clean={upper} />
          <TextField {...rail} name="rail" autoComplete="off" list="offered-rails" clean={upper} />
          <TextField
            {...region}
            name="region"
            optional
            autoComplete="off"
            list="offered-regions"
            maxLength={2}
            clean={upper}
          />
        </div>
        {offered('assets', offers?.assets)}
        {offered('rails', offers?.rails)}
        {offered('regions', offers?.regions)}
        <Button type="submit" look="primary" pending={form.pending}>
          {texts.route}
        </Button>
      </FormShell>
    </Panel>
  )
}

type Values = Record<'amount' | 'asset' | 'rail' | 'region', string>

function check({ amount, asset, rail }: Values): FormErrors {
  const { missing } = texts
  return {
    ...(amount === '' && { amount: missing.amount }),
    ...(asset === '' && { asset: missing.asset }),
    ...(rail === '' && { rail: missing.rail }),
  }
}
