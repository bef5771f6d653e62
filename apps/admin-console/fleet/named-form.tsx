import type { FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import type { FormErrors, FormValues } from '@windlass/ui/form.tsx'
import { OpenedForm } from '@windlass/ui/opened-form.tsx'
import type { ReactNode } from 'react'
import { fleet } from './texts.ts'

interface NamedFormProps<V extends FormValues> {
  anchor: FleetAnchor
  texts: Record<'start' | 'confirm' | 'failed', string>
  lead: string
  reasonHint: string
  initial: V
  check?(values: V): FormErrors
  send(values: V & { reason: string }): Promise<void>
  children: ReactNode
}

/** A form for what cannot be taken back: it asks for a reason, and for the anchor's name. */
export function NamedForm<V extends FormValues>(props: NamedFormProps<V>) {
  const { anchor, texts, lead, reasonHint, initial, check, send, children } = props
  const { label, wrong } = fleet.removal.confirmName
  return (
    <OpenedForm<V & { reason: string; subdomain: string }>
      {...{ start: texts.start, startLook: 'quietDanger', lead, confirm: texts.confirm, look: 'danger' }}
      initial={{ ...initial, reason: '', subdomain: '' }}
      check={values => ({
        ...(values.reason.trim() === '' && { reason: fleet.reason.missing }),
        ...check?.(values),
        ...(values.subdomain !== anchor.subdomain && { subdomain: wrong }),
      })}
      send={values => send({ ...values, reason: values.reason.trim() })}
      explain={failedAs(texts.failed)}
    >
      <TextAreaField name="reason" label={fleet.reason.label} hint={reasonHint} rows={3} maxLength={2000} />
      {children}
      <TextField name="subdomain" label={label(anchor.subdomain)} autoComplete="off" spellCheck={false} />
    </OpenedForm>
  )
}
