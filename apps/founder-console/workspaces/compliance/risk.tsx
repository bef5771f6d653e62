import {
  type CustomerRating,
  type Rating,
  ratings,
  type RiskFactor,
  riskFactors,
  type RiskRule,
  type RiskRules,
  type RiskRulesHistory,
} from '@windlass/contracts/anchor/risk-rating.ts'
import {
  getWorkspaceRiskRules,
  listWorkspaceCustomerRatings,
  reviewWorkspaceCustomerRating,
  setWorkspaceRiskRules,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './risk-texts.ts'
import { WeakeningField, weakeningOf } from './weakening.tsx'

type Current = RiskRulesHistory['history'][number]
const tones: Record<Rating, Tone> = { low: 'good', normal: 'neutral', high: 'warn' }

const sentenceOf = ({ when, countries, days, amount }: RiskRule): string => {
  const parameter =
    countries?.join(', ') ??
    (days === undefined ? amount && formatAmount(amount) : texts.days(formatAmount(String(days))))
  return parameter === undefined ? texts.factors[when] : `${texts.factors[when]}: ${parameter}`
}
const ratingChoices = ratings.map(value => ({ value, label: texts.ratings[value] }))

/** How customers are rated, what follows, and who is rated how. */
export function Risk() {
  const { id: anchorId, role } = useWorkspace()
  const [form, setForm] = useState<'rule' | Rating | RiskRule>()
  const found = useQuery(operator.query(getWorkspaceRiskRules, { params: { anchorId } }))
  const current = found.data?.history[0]
  const mayChange = manages(role, 'compliance')
  const rating = ratings.find(each => each === form)
  const close = () => setForm(undefined)
  const done = () => {
    close()
    void refresh(getWorkspaceRiskRules)
  }
  const { columns: heads } = texts.rules
  const columns: Column<RiskRule>[] = [
    { head: heads.rule, className: 'font-medium wrap-anywhere', cell: sentenceOf },
    {
      head: heads.rating,
      cell: row => <Status tone={tones[row.rating]}>{texts.ratings[row.rating]}</Status>,
    },
  ]
  if (mayChange)
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button
          look="quietDanger"
          aria-label={texts.rules.removeWhat(sentenceOf(row))}
          onClick={() => setForm(row)}
        >
          {texts.rules.remove}
        </Button>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          mayChange &&
          current && (
            <Button look="primary" onClick={() => setForm('rule')}>
              {texts.rules.add}
            </Button>
          )
        }
      />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-32" />}>
        {({ history: [newest] }) =>
          newest && (
            <>
              {newest.rules.rules.length === 0 ? (
                <p className="text-14 text-soft">{texts.rules.empty}</p>
              ) : (
                <Table
                  caption={texts.rules.caption}
                  columns={columns}
                  rows={newest.rules.rules}
                  keyOf={row => JSON.stringify(row)}
                />
              )}
              <Measures measures={newest.rules.measures} onChange={mayChange ? setForm : undefined} />
            </>
          )
        }
      </DataScreen>
      <RatedCustomers />
      {current && form === 'rule' && <RuleForm current={current} onDone={done} onClose={close} />}
      {current && rating && (
        <MeasuresForm key={rating} current={current} rating={rating} onDone={done} onClose={close} />
      )}
      {current && typeof form === 'object' && (
        <RemoveForm current={current} rule={form} onDone={done} onClose={close} />
      )}
    </section>
  )
}

interface MeasuresProps extends Pick<RiskRules, 'measures'> {
  /** Where the reader may change them. */
  onChange: ((rating: Rating) => void) | undefined
}

function Measures({ measures, onChange }: MeasuresProps) {
  const { measures: words } = texts
  const columns: Column<Rating>[] = [
    { head: texts.rules.columns.rating, className: 'font-medium', cell: row => texts.ratings[row] },
    { head: words.limit, named: true, numeric: true, value: row => measures[row].limitPercent },
    {
      head: words.funds,
      named: true,
      cell: row => (measures[row].asksSourceOfFunds ? words.yes : words.no),
    },
    { head: words.review, named: true, numeric: true, value: row => measures[row].reviewMonths },
  ]
  if (onChange)
    columns.push({
      head: texts.rules.columns.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button look="quiet" aria-label={words.changeWhat(texts.ratings[row])} onClick={() => onChange(row)}>
          {words.change}
        </Button>
      ),
    })
  return <Table caption={words.caption} columns={columns} rows={[...ratings]} keyOf={row => row} />
}

interface FormProps {
  current: Current
  onDone(): void
  onClose(): void
}

/** Sends rules in the place of those that count. */
function useChange({ current, onDone }: FormProps) {
  const { id: anchorId } = useWorkspace()
  return async (rules: RiskRules, reason = '') => {
    const body = { rules, version: current.version, ...weakeningOf(reason) }
    await operator.call(setWorkspaceRiskRules, { params: { anchorId }, body })
    onDone()
  }
}
const explain = (error: unknown) => ({ failure: { ...describeError(error), title: texts.form.failed } })

const codesOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(code => code !== ''),
  ),
]
const factors = Object.keys(riskFactors) as RiskFactor[]
const isWhole = (text: string): boolean => /^[1-9]\d{0,3}$/.test(text.trim())

function RuleForm(props: FormProps) {
  const { current, onClose } = props
  const { asset, furtherAssets } = useWorkspace()
  const { form: words } = texts
  const change = useChange(props)
  const factorOf = (text: string) => factors.find(each => each === text) ?? 'high-risk-country'
  const form = useForm({
    initial: { when: 'residence', countries: '', days: '', amount: '', rating: 'high', reason: '' },
    check: (values): FormErrors => {
      const needed = riskFactors[factorOf(values.when)]
      const codes = codesOf(values.countries)
      const areCodes = codes.length > 0 && codes.every(code => /^[A-Z]{2}$/.test(code))
      if (needed === 'countries' && !areCodes) return { countries: words.invalid }
      if (needed === 'days' && !isWhole(values.days)) return { days: texts.measures.invalid }
      return needed === 'amount' ? amountErrors(values, { amount: { positive: true } }) : {}
    },
    send: ({ when: given, countries, days, amount, rating: text, reason }) => {
      const when = factorOf(given)
      const needed = riskFactors[when]
      const rule: RiskRule = {
        ...{ when, rating: ratings.find(each => each === text) ?? 'high' },
        ...(needed === 'countries' && { countries: codesOf(countries) }),
        ...(needed === 'days' && { days: Number(days) }),
        ...(needed === 'amount' && { amount }),
      }
      return change({ ...current.rules, rules: [...current.rules.rules, rule] }, reason)
    },
    explain,
  })
  const needed = riskFactors[factorOf(form.values.when)]
  return (
    <FormPanel title={texts.rules.add} form={form} send={words.send} onClose={onClose}>
      <SelectField
        required
        name="when"
        label={words.when}
        choices={factors.map(value => ({ value, label: texts.factors[value] }))}
      />
      {needed === 'countries' && (
        <TextField name="countries" label={words.countries} hint={words.countriesHint} autoComplete="off" />
      )}
      {needed === 'days' && <AmountField name="days" label={words.days} decimals={0} />}
      {needed === 'amount' && (
        <AmountField name="amount" label={words.amount} unit={furtherAssets ? undefined : asset.code} />
      )}
      <SelectField required name="rating" label={words.rating} choices={ratingChoices} />
      <WeakeningField />
    </FormPanel>
  )
}

function RemoveForm(props: FormProps & { rule: RiskRule }) {
  const { current, rule, onClose } = props
  const change = useChange(props)
  const form = useForm({
    initial: { reason: '' },
    check: () => ({}),
    send: ({ reason }) =>
      change({ ...current.rules, rules: current.rules.rules.filter(each => each !== rule) }, reason),
    explain,
  })
  return (
    <FormPanel
      title={texts.rules.removing}
      lead={sentenceOf(rule)}
      form={form}
      send={texts.rules.removeSend}
      look="danger"
      onClose={onClose}
    >
      <WeakeningField />
    </FormPanel>
  )
}

function MeasuresForm(props: FormProps & { rating: Rating }) {
  const { current, rating, onClose } = props
  const { measures: words } = texts
  const change = useChange(props)
  const given = current.rules.measures[rating]
  const form = useForm({
    initial: {
      ...{ limit: String(given.limitPercent), months: String(given.reviewMonths), reason: '' },
      funds: given.asksSourceOfFunds ? ['asks'] : ([] as string[]),
    },
    check: ({ limit, months }): FormErrors => ({
      ...(!(isWhole(limit) && Number(limit) <= 100) && { limit: words.invalid }),
      ...(!(isWhole(months) && Number(months) <= 60) && { months: words.invalid }),
    }),
    send: ({ limit, months, funds, reason }) => {
      const measures = {
        ...{ limitPercent: Number(limit), reviewMonths: Number(months) },
        asksSourceOfFunds: funds.length > 0,
      }
      const all = { ...current.rules.measures, [rating]: measures }
      return change({ ...current.rules, measures: all }, reason)
    },
    explain,
  })
  return (
    <FormPanel
      title={words.changeWhat(texts.ratings[rating])}
      form={form}
      send={texts.form.send}
      onClose={onClose}
    >
      <AmountField name="limit" label={words.limit} decimals={0} />
      <ChoicesField
        name="funds"
        label={words.funds}
        choices={[{ value: 'asks', label: words.yes }]}
        optional
      />
      <AmountField name="months" label={words.review} decimals={0} />
      <WeakeningField />
    </FormPanel>
  )
}

function RatedCustomers() {
  const { id: anchorId, role } = useWorkspace()
  const [rating, setRating] = useState<Rating>()
  const [open, setOpen] = useState<CustomerRating>()
  const { customers: words } = texts
  const query = rating ? { rating } : {}
  const list = useInfiniteQuery(operator.pages(listWorkspaceCustomerRatings, { params: { anchorId }, query }))
  const columns: Column<CustomerRating>[] = [
    {
      head: words.columns.customer,
      className: 'font-mono wrap-anywhere',
      cell: row =>
        manages(role, 'compliance') ? (
          <Button look="quiet" onClick={() => setOpen(row)}>
            {row.customer}
          </Button>
        ) : (
          row.customer
        ),
    },
    {
      head: words.columns.rating,
      cell: row => <Status tone={tones[row.rating]}>{texts.ratings[row.rating]}</Status>,
    },
    {
      head: words.columns.reasons,
      cell: row =>
        [
          ...row.reasons.map(each => texts.factors[each]),
          ...(row.atLeast === row.rating ? [words.byPerson] : []),
        ].join(', '),
    },
    { head: words.columns.review, className: 'whitespace-nowrap', value: row => row.reviewOn },
  ]
  return (
    <section className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">{words.title}</h3>
        <div className="flex flex-wrap gap-2" role="group" aria-label={words.filter}>
          {[undefined, ...ratings].map(each => (
            <Button key={each ?? 'all'} aria-pressed={each === rating} onClick={() => setRating(each)}>
              {each ? texts.ratings[each] : words.all}
            </Button>
          ))}
        </div>
      </div>
      <RecordList
        texts={rating ? { ...words, empty: words.none } : words}
        list={list}
        columns={columns}
        keyOf={row => row.customer}
      />
      {open && rowsOf(list).includes(open) && <ReviewForm rating={open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function ReviewForm({
  rating: { customer: id, atLeast },
  onClose,
}: {
  rating: CustomerRating
  onClose(): void
}) {
  const { id: anchorId } = useWorkspace()
  const { review: words } = texts
  const form = useForm({
    initial: { atLeast: atLeast ?? '', note: '', reason: '' },
    check: ({ note }): FormErrors => (note.trim() === '' ? { note: words.noteMissing } : {}),
    send: async values => {
      const wanted = ratings.find(each => each === values.atLeast) ?? null
      const body = { atLeast: wanted, note: values.note.trim(), ...weakeningOf(values.reason) }
      await operator.call(reviewWorkspaceCustomerRating, { params: { anchorId, id }, body })
      onClose()
      void refresh(listWorkspaceCustomerRatings)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} lead={id} form={form} send={words.send} onClose={onClose}>
      <SelectField
        name="atLeast"
        label={words.atLeast}
        choices={[{ value: '', label: words.byRules }, ...ratingChoices]}
        optional
      />
      <TextAreaField name="note" label={words.note} maxLength={2000} />
      <WeakeningField />
    </FormPanel>
  )
}
