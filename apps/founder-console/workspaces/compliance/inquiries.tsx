import type { Person } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelInquiry } from '@windlass/contracts/anchor/travel-messages.ts'
import {
  decideWorkspaceTravelInquiry,
  listWorkspaceTravelInquiries,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts as all } from './provider-texts.ts'

const { inquiries: texts } = all
type Decision = 'approve' | 'reject' | 'release'

const tones: Record<TravelInquiry['state'], Tone> = {
  ...{ queued: 'neutral', sent: 'warn', expected: 'warn', waiting: 'warn', approved: 'good' },
  ...{ rejected: 'bad', released: 'neutral', confirmed: 'good', canceled: 'neutral' },
}

const decisionsOf = ({ state }: TravelInquiry): Decision[] => {
  if (state === 'waiting') return ['approve', 'reject']
  return ['queued', 'sent', 'expected', 'rejected'].includes(state) ? ['release'] : []
}

function nameOf([person]: readonly Person[]): string {
  const natural = person?.naturalPerson?.name.nameIdentifier[0]
  if (natural) return [natural.secondaryIdentifier, natural.primaryIdentifier].filter(Boolean).join(' ')
  return person?.legalPerson?.name.nameIdentifier[0]?.legalPersonName ?? ''
}
const sidesOf = ({ document }: TravelInquiry): string =>
  document
    ? `${nameOf(document.originator.originatorPerson)} → ${nameOf(document.beneficiary.beneficiaryPerson)}`
    : ''

/** What providers were asked by the travel rule, and what they asked. */
export function Inquiries() {
  const { id: anchorId, role } = useWorkspace()
  const input = { params: { anchorId }, query: {} }
  const found = useQuery(operator.query(listWorkspaceTravelInquiries, input))
  const [deciding, setDeciding] = useState<{ inquiry: TravelInquiry; decision: Decision }>()
  const { columns: heads } = texts
  const columns: Column<TravelInquiry>[] = [
    timeColumn(heads.at, row => row.createdAt),
    { head: heads.provider, className: 'font-medium wrap-anywhere', value: row => row.provider.name },
    { head: heads.direction, cell: row => texts.directions[row.direction] },
    { head: heads.sides, className: 'wrap-anywhere', cell: sidesOf },
    { head: heads.amount, numeric: true, cell: row => row.amount && formatAmount(row.amount) },
    { head: heads.state, cell: row => <State {...row} /> },
  ]
  if (manages(role, 'compliance'))
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <span className="inline-flex gap-2">
          {decisionsOf(row).map(decision => (
            <Button
              key={decision}
              aria-label={`${texts[decision]}: ${row.provider.name}`}
              onClick={() => setDeciding({ inquiry: row, decision })}
            >
              {texts[decision]}
            </Button>
          ))}
        </span>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen
        query={found}
        explain={describeError}
        skeleton={<Bar className="h-32" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {rows => <Table caption={texts.title} columns={columns} rows={rows} keyOf={row => row.id} />}
      </DataScreen>
      {deciding && (
        <DecisionForm
          {...deciding}
          onDone={() => {
            setDeciding(undefined)
            void refresh(listWorkspaceTravelInquiries)
          }}
          onClose={() => setDeciding(undefined)}
        />
      )}
    </section>
  )
}

/** Where a message of ours was not taken, by which code, and what to do. */
function State({ state, failure, direction }: TravelInquiry) {
  return (
    <>
      <Status tone={failure ? 'bad' : tones[state]}>{texts.states[state]}</Status>
      {failure && (
        <p className="mt-1 max-w-64 text-13 text-soft">
          <code>{failure}</code>: {texts.failures[failure]} {texts.next[direction]}
        </p>
      )}
    </>
  )
}

function DecisionForm({
  inquiry,
  decision,
  onDone,
  onClose,
}: {
  inquiry: TravelInquiry
  decision: Decision
  onDone(): void
  onClose(): void
}) {
  const { id: anchorId } = useWorkspace()
  return (
    <ConfirmPanel
      title={texts[decision]}
      send={texts[decision]}
      reason={{ label: texts.reason, missing: texts.reasonMissing }}
      act={async reason => {
        const params = { anchorId, id: inquiry.id }
        await operator.call(decideWorkspaceTravelInquiry, { params, body: { decision, reason } })
        onDone()
      }}
      explain={failedAs(texts.failed)}
      onClose={onClose}
    >
      <p className="text-14">{texts.notes[decision]}</p>
    </ConfirmPanel>
  )
}
