import { ProblemError } from '@windlass/client/client.ts'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { LEAST_THRESHOLD, MAX_LIST_BYTES, type ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import {
  decideWorkspaceScreeningHit,
  loadWorkspaceSanctionsList,
  setWorkspaceScreeningThreshold,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FileField } from '@windlass/ui/file-field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatAmount } from '@windlass/ui/formats.ts'
import { useRef } from 'react'
import { operator } from '../../session.ts'
import { texts } from './texts.ts'
import { texts as velocityTexts } from './velocity-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { WeakeningField, weakeningOf } from './weakening.tsx'

export function DecisionForm({ hit, onDone }: { hit: ScreeningHit; onDone(): void }) {
  const { id: anchorId } = useWorkspace()
  const { reason, evidence } = texts.hit
  const words = hit.match ? texts.hit.decision : velocityTexts.hit.decision
  const possible = hit.status === 'waiting' ? (['clear', 'confirm'] as const) : (['clear'] as const)
  const form = useForm({
    initial: { decision: '', reason: '', evidence: '' },
    check: values => {
      const errors: FormErrors = {}
      if (values.decision === '') errors.decision = texts.hit.decision.missing
      if (values.reason.trim() === '') errors.reason = reason.missing
      return errors
    },
    send: async values => {
      const decision = possible.find(each => each === values.decision)
      if (!decision) return
      const given = values.evidence.trim()
      await operator.call(decideWorkspaceScreeningHit, {
        params: { anchorId, id: hit.id },
        body: { decision, reason: values.reason.trim(), ...(given && { evidence: given }) },
      })
      onDone()
    },
    explain: failedAs(texts.hit.failed),
  })
  return (
    <FormShell form={form}>
      <ChoicesField
        single
        name="decision"
        label={words.label}
        choices={possible.map(value => ({ value, ...words[value] }))}
      />
      <TextAreaField name="reason" label={reason.label} hint={reason.hint} maxLength={500} />
      <TextAreaField name="evidence" {...evidence} maxLength={2000} optional />
      <Button type="submit" look="primary" pending={form.pending}>
        {texts.hit.send}
      </Button>
    </FormShell>
  )
}

interface FormProps {
  onDone(): void
  onClose(): void
}

export function LoadForm({ onDone, onClose }: FormProps) {
  const { id: anchorId } = useWorkspace()
  const files = useRef<HTMLInputElement>(null)
  const chosen = () => files.current?.files?.[0]
  const { file: words, smaller } = texts.load
  const form = useForm({
    initial: { file: '', smaller: [] as string[] },
    check: (): FormErrors => {
      const file = chosen()
      if (!file) return { file: words.missing }
      return file.size > MAX_LIST_BYTES ? { file: words.tooLarge } : {}
    },
    send: async values => {
      const file = chosen()
      if (!file) return
      await operator
        .call(loadWorkspaceSanctionsList, {
          params: { anchorId },
          query: { fileName: file.name.slice(0, 200), ...(values.smaller.length > 0 && { smaller: true }) },
          // As bytes, so that it can be sent again after the operator confirmed that it is them.
          body: new Uint8Array(await file.arrayBuffer()),
        })
        .catch(ifNotLoaded)
      onDone()
    },
    explain: failedAs(texts.load.failed),
  })
  return (
    <FormPanel title={texts.load.title} form={form} send={texts.load.send} onClose={onClose}>
      <FileField name="file" label={words.label} hint={words.hint} inputRef={files} />
      <ChoicesField
        name="smaller"
        {...smaller}
        choices={[{ value: 'accept', label: smaller.accept }]}
        optional
      />
    </FormPanel>
  )
}

/** The same file again counts as looked at now: that is what they wanted. */
function ifNotLoaded(error: unknown): void {
  if (!(error instanceof ProblemError) || error.problem.code !== 'sanctions-list-already-loaded') throw error
}

export function ThresholdForm({ threshold, onDone, onClose }: FormProps & { threshold: string }) {
  const { id: anchorId } = useWorkspace()
  const { threshold: words } = texts
  const least = formatAmount(String(LEAST_THRESHOLD))
  const form = useForm({
    initial: { score: threshold, reason: '' },
    check: ({ score }): FormErrors => {
      const number = Number(score)
      const fits = /^[01](\.\d{1,2})?$/.test(score.trim()) && number >= LEAST_THRESHOLD && number <= 1
      return fits ? {} : { score: words.invalid(least) }
    },
    send: async ({ score, reason }) => {
      await operator.call(setWorkspaceScreeningThreshold, {
        params: { anchorId },
        body: { threshold: Number(score), ...weakeningOf(reason) },
      })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <AmountField name="score" label={words.label} hint={words.hint(least)} decimals={2} />
      <WeakeningField />
    </FormPanel>
  )
}
