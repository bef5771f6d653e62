import { erasureChecks, type ErasureAnswer } from '@windlass/contracts/anchor/retention.ts'
import { eraseWorkspaceCustomer } from '@windlass/contracts/platform/workspace-compliance.ts'
import { SelectField } from '@windlass/ui/choices.tsx'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDate } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './erasure-texts.ts'

const [first] = erasureChecks

/** Deletes a customer who asked by letter. Its answer is the customer's. */
export function EraseForm({ onDone, onClose }: { onDone(answer: ErasureAnswer): void; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const form = useForm({
    initial: { customer: '', receivedOn: '', identity: first as string, note: '' },
    check: ({ customer, receivedOn, note }): FormErrors => ({
      ...(customer.trim() === '' && { customer: texts.missing }),
      ...(!/^\d{4}-\d{2}-\d{2}$/.test(receivedOn) && { receivedOn: texts.missing }),
      ...(note.trim() === '' && { note: texts.missing }),
    }),
    send: async ({ customer, receivedOn, identity, note }) => {
      const by = erasureChecks.find(each => each === identity) ?? first
      const answer = await operator.call(eraseWorkspaceCustomer, {
        params: { anchorId, id: customer.trim() },
        body: { receivedOn, identity: by, note: note.trim() },
      })
      onDone(answer)
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={texts.action} form={form} send={texts.send} lead={texts.lead} onClose={onClose}>
      <TextField name="customer" label={texts.id} maxLength={200} autoComplete="off" />
      <TextField name="receivedOn" label={texts.receivedOn} type="date" />
      <SelectField
        name="identity"
        label={texts.identity}
        choices={erasureChecks.map(value => ({ value, label: texts.checks[value] }))}
      />
      <TextAreaField name="note" label={texts.note} hint={texts.noteHint} maxLength={1_000} />
    </FormPanel>
  )
}

/** What the customer is written: what is kept, and until when. */
export function Erased({ answer: { kept, until } }: { answer: ErasureAnswer }) {
  return (
    <Notice tone="good" title={texts.done}>
      {until === null
        ? texts.nothingKept
        : texts.kept(kept.map(each => texts.kinds[each]).join(', '), formatDate(until))}
    </Notice>
  )
}
