import { activateRoutingPolicy, listRoutingPolicies } from '@windlass/contracts/platform/admin-routing.ts'
import { scores, type RoutingPolicy } from '@windlass/contracts/aggregator/routing.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { call, queries, all, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { shell } from '../texts.ts'
import { policy as texts } from './texts.ts'
import { WeightsForm } from './weights-form.tsx'

const policiesQuery = all(listRoutingPolicies)

export function loader() {
  void queries.prefetchQuery(policiesQuery)
  return null
}

export function Component() {
  const policies = useQuery(policiesQuery)
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <DataScreen
        query={policies}
        explain={describeError}
        skeleton={
          <div className="space-y-4">
            <Bar className="h-64" />
            <Bar className="h-32" />
          </div>
        }
      >
        {versions => {
          const active = versions.find(version => version.active)
          return (
            <>
              <WeightsForm key={active?.id} active={active} />
              <History versions={versions} />
            </>
          )
        }}
      </DataScreen>
    </>
  )
}

function History({ versions }: { versions: readonly RoutingPolicy[] }) {
  const activate = useMutation({
    mutationFn: (id: string) => call(activateRoutingPolicy, { params: { id } }),
    onSettled: () => refresh(listRoutingPolicies),
  })
  const columns = texts.history.columns
  const mayActivate = useMay('operator')
  return (
    <section className="mt-8 space-y-3">
      <h2 className="text-18 font-semibold">{texts.history.title}</h2>
      {activate.error && <ErrorNotice failure={{ ...describeError(activate.error), title: texts.failed }} />}
      <Table
        caption={texts.history.title}
        rows={versions}
        keyOf={row => row.id}
        columns={[
          { head: columns.version, className: 'tabular', named: true, value: row => row.version },
          { head: columns.name, className: 'max-sm:w-full max-sm:order-first', value: row => row.name },
          {
            head: columns.weights,
            className: 'tabular',
            cell: row => scores.map(({ name }) => row.weights[name]).join(' / '),
          },
          { head: columns.created, className: 'text-soft', cell: row => formatDateTime(row.createdAt) },
          {
            head: columns.state,
            cell: row =>
              row.active ? (
                <Status tone="good">{texts.history.active}</Status>
              ) : (
                mayActivate && (
                  <Button
                    look="quiet"
                    className="-ml-2 px-2"
                    pending={activate.isPending && activate.variables === row.id}
                    onClick={() => activate.mutate(row.id)}
                  >
                    {texts.history.activate(row.version)}
                  </Button>
                )
              ),
          },
        ]}
      />
    </section>
  )
}
