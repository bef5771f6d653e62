import { codeOf, troubleOf } from '@windlass/client/trouble.ts'
import { Button } from '@windlass/ui/button.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { useEffect } from 'react'
import { applications as texts } from '../texts/applications.ts'
import { fieldId } from '@windlass/ui/focus-field.ts'

interface RejectFormProps {
  applicationId: string
  reject(reason: string): Promise<void>
  onCancel(): void
}

/** A rejection needs a reason. What is typed outlives a session that ends meanwhile. */
export function RejectForm({ applicationId, reject, onCancel }: RejectFormProps) {
  const key = `windlass.reject.${applicationId}`
  const form = useForm({
    initial: { reason: sessionStorage.getItem(key) ?? '' },
    check: ({ reason }) => {
      if (reason.trim() === '') return { reason: texts.reason.missing }
      return reason.length > 2000 ? { reason: texts.reason.tooLong } : {}
    },
    send: async ({ reason }) => {
      await reject(reason.trim())
      sessionStorage.removeItem(key)
    },
    // A race with another administrator is told by the panel, which knows who it was.
    explain: error => (codeOf(error) === 'application-already-reviewed' ? {} : { trouble: troubleOf(error) }),
    onChange: ({ reason }) => sessionStorage.setItem(key, reason),
  })
  useEffect(() => document.getElementById(fieldId(form.id, 'reason'))?.focus(), [form.id])
  return (
    <FormShell form={form} className="space-y-3">
      <TextAreaField name="reason" label={texts.reason.label} hint={texts.reason.hint} rows={3} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="danger" pending={form.pending}>
          {texts.confirmReject}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {texts.cancel}
        </Button>
      </div>
    </FormShell>
  )
}
