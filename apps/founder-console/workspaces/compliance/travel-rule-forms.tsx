import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import type { Corridor, TravelRuleHistory } from '@windlass/contracts/anchor/travel-rule.ts'
import {
  getWorkspaceTravelRule,
  getWorkspaceTravelRuleRecord,
  setWorkspaceTravelRule,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountError, amountErrors, amountValueOf, typedOf } from '@windlass/ui/amount-value.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { saveJson } from '@windlass/ui/console/csv.ts'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { texts } from './travel-rule-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { type ChangeProps, VersionedRules } from './versioned-rules.tsx'
import { WeakeningField, weakeningOf } from './weakening.tsx'

const ruleQuery = (anchorId: string) => operator.query(getWorkspaceTravelRule, { params: { anchorId } })

type Current = TravelRuleHistory['history'][number]

/** From which amount the sides of a transfer are kept with it. */
export function TravelRule() {
  const { id: anchorId, asset } = useWorkspace()
  return (
    <VersionedRules<Current>
      texts={texts}
      found={useQuery(ruleQuery(anchorId))}
      refresh={() => void refresh(getWorkspaceTravelRule)}
      show={({ settings, at }) => (
        <p className="text-14 text-soft wrap-anywhere">
          {settings.threshold === null
            ? texts.off
            : texts.from(`${formatAmount(settings.threshold)} ${asset.code}`)}
          {settings.ownershipAbove !== null &&
            ` ${texts.proof(`${formatAmount(settings.ownershipAbove)} ${asset.code}`)}`}
          {settings.corridors.length > 0 &&
            ` ${texts.towards(linesOf(settings.corridors).replaceAll('\n', ', '))}`}
          {settings.lei && ` ${texts.lei(settings.lei)}.`}
          {at && ` ${texts.changed(formatDateTime(at))}`}
        </p>
      )}
      form={ChangeForm}
    />
  )
}

const LEI = /^[A-Z0-9]{18}\d{2}$/

/** `US 3000` in a line; without an amount no data is kept. */
const linesOf = (corridors: readonly Corridor[]): string =>
  corridors
    .map(({ country, threshold }) => [country, threshold && typedOf(threshold)].filter(Boolean).join(' '))
    .join('\n')
const corridorsIn = (text: string): Corridor[] =>
  text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [country = '', ...typed] = line.trim().split(/\s+/)
      return { country: country.toUpperCase(), threshold: amountValueOf(typed.join(' ')) || null }
    })
const isCorridor = ({ country, threshold }: Corridor): boolean =>
  /^[A-Z]{2}$/.test(country) && amountError(threshold ?? '', { optional: true }) === undefined

function ChangeForm({ current: { settings, version }, onDone, onClose }: ChangeProps<Current>) {
  const { id: anchorId, asset } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: {
      ...{ threshold: settings.threshold ?? '', ownership: settings.ownershipAbove ?? '' },
      ...{ country: settings.country ?? '', corridors: linesOf(settings.corridors) },
      ...{
        lei: settings.lei ?? '',
        waits: settings.waitsForAnswer ? ['waits'] : ([] as string[]),
        reason: '',
      },
    },
    check: ({ threshold, ownership, country, corridors, lei }) => {
      const optional = { optional: true }
      const errors: FormErrors = amountErrors(
        { threshold, ownership },
        { threshold: optional, ownership: optional },
      )
      if (country.trim() && !/^[A-Z]{2}$/.test(country.trim().toUpperCase()))
        errors.country = words.country.invalid
      if (!corridorsIn(corridors).every(isCorridor)) errors.corridors = words.corridors.invalid
      if (lei.trim() && !LEI.test(lei.trim().toUpperCase())) errors.lei = words.lei.invalid
      return errors
    },
    send: async ({ threshold, ownership, country, corridors, lei, waits, reason }) => {
      const changed = {
        ...{ threshold: threshold || null, lei: lei.trim().toUpperCase() || null },
        ...{ country: country.trim().toUpperCase() || null, corridors: corridorsIn(corridors) },
        ...{ ownershipAbove: ownership || null, waitsForAnswer: waits.length > 0 },
      }
      await operator.call(setWorkspaceTravelRule, {
        params: { anchorId },
        body: { settings: changed, version, ...weakeningOf(reason) },
      })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <AmountField name="threshold" {...words.threshold} unit={asset.code} optional />
      <AmountField name="ownership" {...words.ownership} unit={asset.code} optional />
      <TextField
        name="country"
        label={words.country.label}
        hint={words.country.hint}
        autoComplete="off"
        maxLength={2}
        optional
      />
      <TextAreaField
        name="corridors"
        label={words.corridors.label}
        hint={words.corridors.hint}
        maxLength={4000}
        optional
      />
      <ChoicesField
        name="waits"
        label={words.waits.label}
        choices={[{ value: 'waits', label: words.waits.on }]}
        optional
      />
      <TextField
        name="lei"
        label={words.lei.label}
        hint={words.lei.hint}
        autoComplete="off"
        maxLength={20}
        optional
      />
      <WeakeningField />
    </FormPanel>
  )
}

/** Saves who sends and who receives a transaction. */
export function SidesExport({ id }: { id: string }) {
  const { id: anchorId, subdomain } = useWorkspace()
  const save = useMutation({
    mutationFn: async () =>
      saveJson(
        `${subdomain}-travel-rule-${id}.json`,
        await operator.call(getWorkspaceTravelRuleRecord, { params: { anchorId, id } }),
      ),
  })
  return (
    <div className="space-y-3">
      {save.error && <ErrorNotice failure={{ ...describeError(save.error), title: texts.exportFailed }} />}
      <Button pending={save.isPending} onClick={() => save.mutate()}>
        {texts.export}
      </Button>
    </div>
  )
}
