import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { ProblemError } from '@windlass/client/client.ts'
import { codeOf, describeError, refusedAs } from '@windlass/ui/console/errors.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { getDecision, type RouteAnswer, routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { type LoaderFunctionArgs, useNavigate, useParams } from 'react-router'
import { aggregator, queries } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { routing as texts } from './texts.ts'
import { DecisionView } from './decision-view.tsx'
import { Excluded } from './excluded.tsx'

const decisionQuery = (id: string) =>
  aggregator.query(
    getDecision,
    { params: { id } },
    {
      // A decision never changes.
      staleTime: Infinity,
    },
  )

export function loader({ params }: LoaderFunctionArgs) {
  if (params.decisionId) void queries.prefetchQuery(decisionQuery(params.decisionId))
  return null
}

/** Finds the route of a transaction and explains the decision. Each decision has its own address. */
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
          <Excluded rejected={refused} />
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
    <DataScreen query={decision} explain={describeError} skeleton={<Bar className="h-80" />}>
      {made => <DecisionView decision={made} />}
    </DataScreen>
  )
}

/** Registered assets, rails and countries, suggested while typing. */
function suggestionsIn({ anchors }: AnswerOf<typeof listAnchors>) {
  const distinct = (codes: string[]) => [...new Set(codes)].sort()
  return {
    assets: distinct(anchors.flatMap(({ assets }) => assets.map(({ code }) => code))),
    rails: distinct(anchors.flatMap(({ rails }) => rails)),
    regions: distinct(anchors.flatMap(({ regions }) => regions)),
  }
}

function TransactionForm({ onRefused }: { onRefused(rejected: RouteAnswer['rejected'] | undefined): void }) {
  const navigate = useNavigate()
  const suggestions = useQuery({
    ...aggregator.query(listAnchors, { query: { status: 'active' } }, { staleTime: 60_000 }),
    select: suggestionsIn,
  }).data
  const form = useForm({
    initial: { amount: '', asset: '', rail: '', region: '' },
    check,
    send: async ({ region, ...transaction }) => {
      try {
        const made = await aggregator.call(routeTransaction, {
          body: { ...transaction, ...(region ? { region } : {}) },
        })
        queries.setQueryData(decisionQuery(made.decisionId).queryKey, made)
        onRefused(undefined)
        await navigate(paths.routing(made.decisionId), { preventScrollReset: true })
      } catch (error) {
        if (codeOf(error) !== 'no-eligible-anchor') throw error
        onRefused((error as ProblemError).problem.rejected as RouteAnswer['rejected'])
      }
    },
    explain: refusedAs(texts.failed),
  })
  const upper = (text: string) => text.toUpperCase().trim()
  const datalist = (name: string, codes: readonly string[] = []) => (
    <datalist id={`suggested-${name}`}>
      {codes.map(code => (
        <option key={code} value={code} />
      ))}
    </datalist>
  )
  const { amount, asset, rail, region } = texts.fields
  return (
    <Panel className="p-4 sm:p-5">
      <FormShell form={form} className="space-y-4">
        <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-4">
          <AmountField {...amount} name="amount" />
          <TextField {...asset} name="asset" autoComplete="off" list="suggested-assets" clean={upper} />
          <TextField {...rail} name="rail" autoComplete="off" list="suggested-rails" clean={upper} />
          <TextField
            {...region}
            name="region"
            optional
            autoComplete="off"
            list="suggested-regions"
            maxLength={2}
            clean={upper}
          />
        </div>
        {datalist('assets', suggestions?.assets)}
        {datalist('rails', suggestions?.rails)}
        {datalist('regions', suggestions?.regions)}
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
    ...(amount === ''
      ? { amount: missing.amount }
      : amountErrors({ amount }, { amount: { positive: true } })),
    ...(asset === '' && { asset: missing.asset }),
    ...(rail === '' && { rail: missing.rail }),
  }
}
