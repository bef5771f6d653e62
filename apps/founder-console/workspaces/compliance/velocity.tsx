import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  MAX_RULES,
  mostHoursOf,
  velocityKinds,
  type VelocityFinding,
  type VelocityHistory,
  type VelocityKind,
  type VelocityRule,
} from '@windlass/contracts/anchor/compliance.ts'
import {
  getWorkspaceVelocityRules,
  replayWorkspaceVelocityRule,
  setWorkspaceVelocityRules,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Fact, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { texts } from './velocity-texts.ts'
import { unitName } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { WeakeningField, weakeningOf } from './weakening.tsx'
import { manages } from '../manages.ts'

const rulesQuery = (anchorId: string) => operator.query(getWorkspaceVelocityRules, { params: { anchorId } })

export const sentenceOf = ({ kind, count, amount }: VelocityRule): string =>
  texts.rule[kind](formatAmount(String(count ?? 0)), formatAmount(amount ?? '0'))

type Current = Pick<VelocityHistory['history'][number], 'rules' | 'version'>

const currentOf = ({ history: [newest] }: VelocityHistory): Current => newest ?? { rules: [], version: 0 }

/** How many transfers, and how much, are held for a person's decision. */
export function VelocityRules() {
  const { id: anchorId, role } = useWorkspace()
  const found = useQuery(rulesQuery(anchorId))
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<VelocityRule>()
  const close = () => {
    setAdding(false)
    setRemoving(undefined)
  }
  const done = () => {
    close()
    void refresh(getWorkspaceVelocityRules)
  }
  const { columns: heads } = texts
  const columns: Column<VelocityRule>[] = [
    { head: heads.rule, className: 'font-medium wrap-anywhere', cell: sentenceOf },
    { head: heads.window, className: 'whitespace-nowrap', cell: ({ hours }) => texts.window(hours) },
  ]
  if (manages(role, 'compliance'))
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button
          look="quietDanger"
          aria-label={texts.removeWhat(sentenceOf(row))}
          onClick={() => setRemoving(row)}
        >
          {texts.remove}
        </Button>
      ),
    })
  const current = found.data && currentOf(found.data)
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') &&
          current &&
          current.rules.length < MAX_RULES && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {texts.add}
            </Button>
          )
        }
      />
      <DataScreen
        query={found}
        explain={describeError}
        skeleton={<Bar className="h-32" />}
        isEmpty={history => currentOf(history).rules.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {({ history: [newest] }) =>
          newest && (
            <>
              <Table
                caption={texts.caption}
                columns={columns}
                rows={newest.rules}
                keyOf={row => `${row.kind} ${row.hours} ${row.count} ${row.amount}`}
              />
              <p className="text-13 text-soft">{texts.changed(formatDateTime(newest.at))}</p>
            </>
          )
        }
      </DataScreen>
      {isAdding && current && <AddForm current={current} onDone={done} onClose={close} />}
      {removing && current && <RemoveForm rule={removing} current={current} onDone={done} onClose={close} />}
    </section>
  )
}

interface FormProps {
  current: Current
  onDone(): void
  onClose(): void
}

const kinds = Object.keys(velocityKinds) as VelocityKind[]
const hasFigure = (kind: VelocityKind, figure: 'count' | 'amount'): boolean =>
  (velocityKinds[kind] as readonly string[]).includes(figure)
const isWhole = (text: string, most: number): boolean =>
  /^[1-9]\d*$/.test(text.trim()) && Number(text) <= most

const MAX_COUNT = 10_000

function AddForm({ current, onDone, onClose }: FormProps) {
  const { id: anchorId, asset, furtherAssets } = useWorkspace()
  const { form: words } = texts
  const kindOf = (text: string): VelocityKind => kinds.find(each => each === text) ?? 'customer-count'
  const ruleOf = (values: { kind: string; hours: string; count: string; amount: string }): VelocityRule => {
    const kind = kindOf(values.kind)
    return {
      ...{ kind, hours: Number(values.hours) },
      count: hasFigure(kind, 'count') ? Number(values.count) : null,
      amount: hasFigure(kind, 'amount') ? values.amount : null,
    }
  }
  const form = useForm({
    initial: { kind: 'customer-count', hours: '24', count: '', amount: '' },
    check: values => {
      const kind = kindOf(values.kind)
      const errors: FormErrors = {}
      const most = mostHoursOf(kind)
      if (!isWhole(values.hours, most)) errors.hours = words.hours.invalid(formatAmount(String(most)))
      if (hasFigure(kind, 'count') && !isWhole(values.count, MAX_COUNT)) errors.count = words.count.invalid
      return hasFigure(kind, 'amount')
        ? { ...errors, ...amountErrors(values, { amount: { positive: true } }) }
        : errors
    },
    send: async values => {
      const rule = ruleOf(values)
      const { rules, version } = current
      const body = { rules: [...rules, rule], version }
      await operator.call(setWorkspaceVelocityRules, { params: { anchorId }, body })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  const kind = kindOf(form.values.kind)
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <SelectField
        required
        name="kind"
        label={words.kind.label}
        choices={kinds.map(value => ({ value, label: words.kind.choices[value] }))}
      />
      <AmountField
        name="hours"
        label={words.hours.label}
        hint={words.hours.hint(formatAmount(String(mostHoursOf(kind))))}
        decimals={0}
      />
      {hasFigure(kind, 'count') && <AmountField name="count" {...words.count} decimals={0} />}
      {hasFigure(kind, 'amount') && (
        <AmountField
          name="amount"
          label={words.amount.label}
          unit={furtherAssets ? undefined : asset.code}
          hint={kind === 'below-limit' ? words.amount.below : words.amount.hint}
        />
      )}
      <Replay rule={ruleOf(form.values)} />
    </FormPanel>
  )
}

/** What a rule would have held, before it is added. */
function Replay({ rule }: { rule: VelocityRule }) {
  const { id: anchorId } = useWorkspace()
  const { replay: words } = texts.form
  const { kind, hours, count, amount } = rule
  const query = { kind, hours, ...(count !== null && { count }), ...(amount !== null && { amount }) }
  const key = JSON.stringify(query)
  const [tried, setTried] = useState<{ key: string; said: string }>()
  const replay = async () => {
    try {
      const found = await operator.call(replayWorkspaceVelocityRule, { params: { anchorId }, query })
      const said = words.result(formatAmount(String(found.held)), formatAmount(String(found.transfers)))
      setTried({ key, said })
    } catch (error) {
      setTried({ key, said: `${words.failed}. ${describeError(error).detail ?? ''}` })
    }
  }
  return (
    <div className="space-y-2">
      <Button onClick={() => void replay()}>{words.button}</Button>
      <p role="status" className="text-14">
        {tried?.key === key && tried.said}
      </p>
    </div>
  )
}

function RemoveForm({ rule, current, onDone, onClose }: FormProps & { rule: VelocityRule }) {
  const { id: anchorId } = useWorkspace()
  const { removing: words } = texts
  const form = useForm({
    initial: { reason: '' },
    check: () => ({}),
    send: async ({ reason }) => {
      const rules = current.rules.filter(each => each !== rule)
      const body = { rules, version: current.version, ...weakeningOf(reason) }
      await operator.call(setWorkspaceVelocityRules, { params: { anchorId }, body })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel
      title={words.title}
      form={form}
      send={words.send}
      look="danger"
      lead={words.lead(sentenceOf(rule))}
      onClose={onClose}
    >
      <WeakeningField />
    </FormPanel>
  )
}

/** What a rule counted when it held a transfer. */
export function VelocityFacts({
  velocity: { rule, count, amount, asset, transfers, elsewhere },
}: {
  velocity: VelocityFinding
}) {
  const workspace = useWorkspace()
  const { hit } = texts
  const inUnits = (sum: string, of: string | undefined) =>
    `${formatAmount(sum)} ${unitName(workspace, of ?? 'asset')}`
  const figures = transfers.every(each => each.asset === asset) ? hit.figures : hit.figuresOfSeveral
  return (
    <>
      <Fact name={hit.rule}>
        {sentenceOf(rule)} · {texts.window(rule.hours)}
      </Fact>
      <Fact name={hit.counted}>{figures(formatAmount(String(count)), inUnits(amount, asset))}</Fact>
      <Fact name={hit.transfers}>
        <ul className="grid gap-2">
          {transfers.map(each => (
            <li key={each.id}>
              <Link
                to={paths.workspace(workspace.id, 'transactions', { open: each.id })}
                className="link font-mono wrap-anywhere"
              >
                {each.id}
              </Link>
              <span className="block text-13 text-soft">
                {hit.directions[each.direction]} · {inUnits(each.amount, each.asset)} ·{' '}
                {formatDateTime(each.at)}
              </span>
            </li>
          ))}
        </ul>
      </Fact>
      {elsewhere && (
        <Fact name={hit.elsewhere}>
          <ul className="grid gap-2">
            {elsewhere.map((each, index) => (
              <li key={index}>
                {hit.directions[each.direction]} · {formatAmount(each.amount)} {each.currency} ·{' '}
                {formatDateTime(each.at)}
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  )
}
