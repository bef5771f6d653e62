import {
  replayRoutingWeights,
  saveRoutingPolicy,
  listRoutingPolicies,
} from '@windlass/contracts/platform/admin-routing.ts'
import { perScore, scores, type Replay, type RoutingPolicy } from '@windlass/contracts/aggregator/routing.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { classNames } from '@windlass/ui/class-names.ts'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { shorten } from '@windlass/ui/formats.ts'
import { Panel } from '@windlass/ui/page.tsx'
import { Code, Table } from '@windlass/ui/table.tsx'
import { call, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { policy as texts } from './texts.ts'
import { isWhole, millionths, formatSum, sumOf, WEIGHT_DECIMALS, type TypedWeights } from './weights.ts'

type Values = TypedWeights & { name: string }

/** The weights of a new policy version: replayed on past decisions, then saved. */
export function WeightsForm({ active }: { active: RoutingPolicy | undefined }) {
  const form = useForm<Values>({
    initial: {
      ...perScore(({ name, weight }) => String(active?.weights[name] ?? weight)),
      name: '',
    },
    check,
    send: async values => {
      const name = values.name.trim() || undefined
      await call(saveRoutingPolicy, { body: { name, weights: weightsOf(values) } })
      await refresh(listRoutingPolicies)
    },
    explain: failedAs(texts.failed),
  })
  const replay = useMutation({
    mutationFn: (weights: TypedWeights) => call(replayRoutingWeights, { body: { weights } }),
  })
  const maySave = useMay('operator')
  const sum = sumOf(form.values)
  const whole = isWhole(form.values)
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <Panel className="p-4 sm:p-5">
        <FormShell form={form} className="space-y-5">
          <div className="grid gap-4 sm:grid-cols-2">
            {scores.map(({ name, label, hint }) => (
              <AmountField key={name} name={name} label={label} hint={hint} decimals={WEIGHT_DECIMALS}>
                <span aria-hidden="true" className="mt-1 block h-1.5 rounded-full bg-hover">
                  <Share millionth={millionths(form.values[name]) ?? 0} />
                </span>
              </AmountField>
            ))}
          </div>
          <p
            role="status"
            className={classNames('text-14 font-medium tabular', whole ? 'text-good' : 'text-bad')}
          >
            {sum === undefined ? texts.sumWrong : texts.sum(formatSum(sum))}
          </p>
          <TextField name="name" {...texts.name} optional maxLength={200} />
          <div className="flex flex-wrap gap-2">
            <Button
              pending={replay.isPending}
              disabled={!whole}
              onClick={() => replay.mutate(weightsOf(form.values))}
            >
              {texts.replay}
            </Button>
            {maySave && (
              <Button type="submit" look="primary" pending={form.pending}>
                {texts.save}
              </Button>
            )}
          </div>
        </FormShell>
      </Panel>
      {replay.error && <ErrorNotice failure={{ ...describeError(replay.error), title: texts.failed }} />}
      {replay.data && <Replayed replay={replay.data} />}
    </div>
  )
}

const weightsOf = (values: Values): TypedWeights => perScore(({ name }) => values[name])

function check(values: Values): FormErrors {
  const errors: FormErrors = {}
  for (const { name, label } of scores) {
    if (millionths(values[name]) === undefined) errors[name] = texts.weightWrong(label)
  }
  if (Object.keys(errors).length === 0 && !isWhole(values)) errors[scores[0].name] = texts.sumWrong
  return errors
}

/** A weight as a bar. SVG attributes, because the content security policy forbids inline styles. */
function Share({ millionth }: { millionth: number }) {
  return (
    <svg viewBox="0 0 100 1" preserveAspectRatio="none" className="h-1.5 w-full rounded-full">
      <rect width={millionth / 10_000} height="1" className="fill-accent" />
    </svg>
  )
}

function Replayed({ replay }: { replay: Replay }) {
  const { title, none, changed, columns } = texts.replayed
  return (
    <section className="space-y-3" aria-live="polite">
      <h2 className="text-18 font-semibold">{title}</h2>
      <p className="text-14">{replay.decisions === 0 ? none : changed(replay.changed, replay.decisions)}</p>
      {replay.shares.length > 0 && (
        <Table
          caption={title}
          rows={replay.shares}
          keyOf={row => row.anchorId}
          columns={[
            {
              head: columns.anchor,
              className: 'max-sm:w-full',
              cell: row => <Code>{shorten(row.anchorId)}</Code>,
            },
            { head: columns.before, numeric: true, named: true, value: row => row.before },
            { head: columns.after, numeric: true, named: true, value: row => row.after },
            {
              head: columns.change,
              numeric: true,
              named: true,
              cell: row => (row.after > row.before ? `+${row.after - row.before}` : row.after - row.before),
            },
          ]}
        />
      )}
    </section>
  )
}
