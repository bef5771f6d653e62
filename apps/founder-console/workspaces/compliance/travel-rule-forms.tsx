import { describeError } from '@windlass/ui/console/errors.ts'
import type { TravelRuleHistory } from '@windlass/contracts/anchor/travel-rule.ts'
import {
  getWorkspaceTravelRule,
  getWorkspaceTravelRuleRecord,
  setWorkspaceTravelRule,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { Button } from '@windlass/ui/button.tsx'
import { saveJson } from '@windlass/ui/console/csv.ts'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { texts } from './travel-rule-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'
import { WeakeningField, weakeningOf } from './weakening.tsx'

const ruleQuery = (anchorId: string) => operator.query(getWorkspaceTravelRule, { params: { anchorId } })

type Current = TravelRuleHistory['history'][number]

/** From which amount the sides of a transfer are kept with it. */
export function TravelRule() {
  const { id: anchorId, role, asset } = useWorkspace()
  const found = useQuery(ruleQuery(anchorId))
  const [isChanging, setChanging] = useState(false)
  const current = found.data?.history[0]
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') &&
          current && <Button onClick={() => setChanging(true)}>{texts.change}</Button>
        }
      />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-12" />}>
        {({ history: [newest] }) =>
          newest && (
            <p className="text-14 text-soft wrap-anywhere">
              {newest.settings.threshold === null
                ? texts.off
                : texts.from(`${formatAmount(newest.settings.threshold)} ${asset.code}`)}
              {newest.settings.lei && ` ${texts.lei(newest.settings.lei)}.`}
              {newest.at && ` ${texts.changed(formatDateTime(newest.at))}`}
            </p>
          )
        }
      </DataScreen>
      {isChanging && current && (
        <ChangeForm
          current={current}
          onDone={() => {
            setChanging(false)
            void refresh(getWorkspaceTravelRule)
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </section>
  )
}

const LEI = /^[A-Z0-9]{18}\d{2}$/

function ChangeForm({
  current: { settings, version },
  onDone,
  onClose,
}: {
  current: Current
  onDone(): void
  onClose(): void
}) {
  const { id: anchorId, asset } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: { threshold: settings.threshold ?? '', lei: settings.lei ?? '', reason: '' },
    check: ({ threshold, lei }) => {
      const errors: FormErrors = amountErrors({ threshold }, { threshold: { optional: true } })
      if (lei.trim() && !LEI.test(lei.trim().toUpperCase())) errors.lei = words.lei.invalid
      return errors
    },
    send: async ({ threshold, lei, reason }) => {
      const changed = { threshold: threshold || null, lei: lei.trim().toUpperCase() || null }
      await operator.call(setWorkspaceTravelRule, {
        params: { anchorId },
        body: { settings: changed, version, ...weakeningOf(reason) },
      })
      onDone()
    },
    explain: error => ({ failure: { ...describeError(error), title: words.failed } }),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <AmountField
        name="threshold"
        label={words.threshold.label}
        hint={words.threshold.hint}
        unit={asset.code}
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
