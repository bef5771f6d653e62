import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  MAX_STATEMENT_BYTES,
  type CsvColumns,
  type CsvProposal,
} from '@windlass/contracts/anchor/bank-files.ts'
import {
  getWorkspaceCsvColumns,
  previewWorkspaceCsvStatement,
  setWorkspaceCsvColumns,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { controlBorder, controlLook, describedBy, Labelled, TextField } from '@windlass/ui/field.tsx'
import { FormActions, type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { useId, useState } from 'react'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'
import { base64Of } from '../base64.ts'
import { ReadingView, type Reading } from './statement-preview.tsx'
import { texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

const choicesOf = (names: readonly string[]) => names.map(value => ({ value, label: value }))

const columnsQuery = (anchorId: string, rail: string) =>
  operator.query(getWorkspaceCsvColumns, { params: { anchorId, rail } })

/** A file as the body of a preview has it. */
/** A file of the bank, by which columns are proposed and tried. */
interface Sample {
  name: string
  data: string
  proposal: CsvProposal
}

/** How a bank's CSV is read: proposed from a file of it, shown as it will be read, then saved. */
export function CsvForm({ rails, onClose }: { rails: readonly string[]; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const [rail, setRail] = useState(rails[0] ?? '')
  const [sample, setSample] = useState<Sample>()
  const saved = useQuery(columnsQuery(anchorId, rail))
  const choose = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MAX_STATEMENT_BYTES) throw new Error(texts.upload.file.tooLarge)
      const data = await base64Of(file)
      const body = { data }
      const { proposal } = await operator.call(previewWorkspaceCsvStatement, {
        params: { anchorId, rail },
        body,
      })
      setSample({ name: file.name, data, proposal })
    },
  })
  return (
    <SidePanel open onClose={onClose} title={texts.csv.title}>
      <p className="mb-6 text-14 text-soft">{texts.csv.lead}</p>
      <SampleField onChoose={file => choose.mutate(file)} />
      {choose.error && (
        <ErrorNotice failure={{ ...describeError(choose.error), title: texts.upload.failed }} />
      )}
      <DataScreen query={saved} explain={describeError} skeleton={<Bar className="h-64" />}>
        {({ columns }) => (
          <ColumnsForm
            key={`${rail} ${sample?.name ?? ''} ${sample?.data.length ?? 0}`}
            rail={rail}
            rails={rails}
            columns={columns}
            sample={sample}
            onRail={setRail}
            onClose={onClose}
          />
        )}
      </DataScreen>
    </SidePanel>
  )
}

function SampleField({ onChoose }: { onChoose(file: File): void }) {
  const id = useId()
  const { label, hint } = texts.csv.sample
  return (
    <div className="mb-6">
      <Labelled id={id} label={label} hint={hint} optional>
        <input
          type="file"
          id={id}
          onChange={event => {
            const [file] = event.target.files ?? []
            if (file) onChoose(file)
          }}
          aria-describedby={describedBy(id, hint, undefined)}
          className={`${controlLook} ${controlBorder(undefined)} py-2`}
        />
      </Labelled>
    </div>
  )
}

const optional = [
  'amount',
  'direction',
  'amountIn',
  'amountOut',
  'bankReference',
  'partyName',
  'partyAccount',
  'partyBank',
  'currency',
  'account',
  'balance',
] as const
const states = ['booked', 'pending', 'failed'] as const

type Values = Record<
  | 'rail'
  | 'text'
  | 'skipLines'
  | 'stateColumn'
  | (typeof states)[number]
  | Exclude<keyof CsvColumns, 'state'>,
  string
>

/** An empty cell has no word of its own to be typed. */
const EMPTY = '""'
const joined = (words: readonly string[]) => words.map(word => (word === '' ? EMPTY : word)).join(', ')
const split = (text: string) =>
  text
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
const wordsIn = (text: string) => split(text).map(word => (word === EMPTY ? '' : word))

function valuesOf(
  rail: string,
  columns: Partial<CsvColumns> | null,
  proposal: CsvProposal | undefined,
): Values {
  const known: Partial<CsvColumns> = { ...columns, ...proposal?.columns }
  // Amounts are in one column or in two.
  if (proposal?.columns.amount !== undefined) delete known.amountIn
  if (proposal?.columns.amount !== undefined) delete known.amountOut
  if (proposal?.columns.amountIn !== undefined) delete known.amount
  const found = proposal?.states
  const saved = known.state
  const isKnown = saved !== undefined && (!found || found.column === saved.column)
  const proposed = (state: (typeof states)[number]) =>
    found?.words.filter(({ usual }) => usual === state).map(({ word }) => word) ?? []
  const words = (state: (typeof states)[number]) => joined(isKnown ? saved[state] : proposed(state))
  return {
    rail,
    ...{ delimiter: known.delimiter ?? ',', skipLines: String(known.skipLines ?? 0) },
    ...{ encoding: known.encoding ?? 'utf-8', decimal: known.decimal ?? '.' },
    ...{ date: known.date ?? '', dateFormat: known.dateFormat ?? 'day-month-year' },
    text: known.text?.join(', ') ?? '',
    amountOutSign: known.amountOutSign ?? '',
    stateColumn: (isKnown ? saved.column : found?.column) ?? '',
    ...{ booked: words('booked'), pending: words('pending'), failed: words('failed') },
    ...(Object.fromEntries(optional.map(name => [name, known[name] ?? ''])) as Record<
      (typeof optional)[number],
      string
    >),
  }
}

function columnsOf(values: Values): CsvColumns {
  const named = optional.map(name => [name, values[name].trim()]).filter(([, value]) => value !== '')
  const { stateColumn, amountOutSign } = values
  const [booked, pending, failed] = states.map(state => wordsIn(values[state]))
  return {
    ...Object.fromEntries(named),
    delimiter: values.delimiter,
    encoding: values.encoding,
    decimal: values.decimal,
    dateFormat: values.dateFormat,
    date: values.date.trim(),
    skipLines: Number(values.skipLines),
    text: split(values.text),
    ...(amountOutSign === '' || values.amountOut.trim() === '' ? {} : { amountOutSign }),
    ...(stateColumn.trim() === '' ? {} : { state: { column: stateColumn.trim(), booked, pending, failed } }),
  } as CsvColumns
}

/** Words of the file's states that have no meaning yet. */
function unassigned(values: Values, sample: Sample | undefined): string[] {
  const found = sample?.proposal.states
  if (!found || found.column !== values.stateColumn.trim()) return []
  const assigned = new Set(states.flatMap(state => wordsIn(values[state])).map(word => word.toLowerCase()))
  return found.words.map(({ word }) => word).filter(word => !assigned.has(word.toLowerCase()))
}

function errorsIn(values: Values, sample: Sample | undefined): FormErrors {
  const { csv } = texts
  const errors: FormErrors = {}
  if (!/^([0-9]|[1-4][0-9]|50)$/.test(values.skipLines)) errors.skipLines = csv.skipLines.invalid
  if (values.date.trim() === '') errors.date = csv.dateMissing
  if (values.text.trim() === '') errors.text = csv.textMissing
  const [one, both] = [values.amount.trim() !== '', values.amountIn.trim() && values.amountOut.trim()]
  if (one === Boolean(both)) errors.amount = csv.amountMissing
  const left = unassigned(values, sample)
  if (left.length > 0) errors.booked = csv.state.unassigned(joined(left))
  else if (values.stateColumn.trim() !== '' && wordsIn(values.booked).length === 0)
    errors.booked = csv.state.bookedMissing
  return errors
}

interface ColumnsProps {
  rail: string
  rails: readonly string[]
  columns: CsvColumns | null
  sample: Sample | undefined
  /** Another rail was chosen, whose columns are read then. */
  onRail(rail: string): void
  onClose(): void
}

function ColumnsForm({ rail: chosen, rails, columns, sample, onRail, onClose }: ColumnsProps) {
  const { id: anchorId } = useWorkspace()
  const { csv } = texts
  const [shown, setShown] = useState<{ of: string; reading: Reading }>()
  const form = useForm<Values>({
    initial: valuesOf(chosen, columns, sample?.proposal),
    onChange: ({ rail }) => {
      if (rail !== chosen) onRail(rail)
    },
    check: values => errorsIn(values, sample),
    send: async values => {
      const body = columnsOf(values)
      const params = { anchorId, rail: values.rail }
      const of = JSON.stringify(body)
      if (sample && (shown?.of !== of || shown.reading.refused !== null)) {
        const asked = { data: sample.data, columns: body }
        const { reading } = await operator.call(previewWorkspaceCsvStatement, { params, body: asked })
        if (reading) setShown({ of, reading })
        return
      }
      const set = await operator.call(setWorkspaceCsvColumns, { params, body })
      queries.setQueryData(columnsQuery(anchorId, values.rail).queryKey, set)
      onClose()
    },
    explain: failedAs(csv.failed),
  })
  const select = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }))
  const isShown = shown?.of === JSON.stringify(columnsOf(form.values))
  const mustShow = sample && !(isShown && shown.reading.refused === null)
  return (
    <FormShell form={form}>
      {rails.length > 1 && (
        <SelectField name="rail" label={texts.upload.rail} choices={choicesOf(rails)} required />
      )}
      {sample && <p className="text-13 text-soft">{csv.sample.proposed(sample.proposal.heads.join(', '))}</p>}
      <SelectField name="delimiter" label={csv.delimiter} choices={select(csv.delimiters)} required />
      <SelectField name="decimal" label={csv.decimal} choices={select(csv.decimals)} required />
      <SelectField
        name="encoding"
        label={csv.encoding}
        choices={choicesOf(['utf-8', 'iso-8859-1'])}
        required
      />
      <AmountField name="skipLines" label={csv.skipLines.label} decimals={0} />
      <TextField name="date" label={csv.date} />
      <SelectField name="dateFormat" label={csv.dateFormat} choices={select(csv.dateFormats)} required />
      <TextField name="text" {...csv.text} />
      {optional.map(name => {
        const words = csv[name]
        const [label, hint] = typeof words === 'string' ? [words, undefined] : [words.label, words.hint]
        return <TextField key={name} name={name} label={label} hint={hint} optional />
      })}
      {form.values.amountOut.trim() !== '' && (
        <SelectField
          name="amountOutSign"
          label={csv.amountOutSign.label}
          choices={select(csv.amountOutSign.signs)}
          optional
        />
      )}
      <TextField name="stateColumn" label={csv.state.label} hint={csv.state.hint} optional />
      {form.values.stateColumn.trim() !== '' &&
        states.map(name => (
          <TextField key={name} name={name} {...csv.state[name]} optional={name !== 'booked'} />
        ))}
      {isShown && <ReadingView reading={shown.reading} />}
      <FormActions onCancel={onClose}>
        <Button type="submit" look="primary" pending={form.pending}>
          {mustShow ? csv.show : csv.send}
        </Button>
      </FormActions>
    </FormShell>
  )
}
