import type { ComponentProps, ReactNode } from 'react'
import { TextAreaField } from '../field.tsx'
import { FormPanel } from '../form-panel.tsx'
import { type FormOptions, useForm } from '../form.tsx'

interface ConfirmPanelProps {
  title: string
  /** What follows from it. */
  lead?: ReactNode
  /** On the button that does it. */
  send: string
  look?: ComponentProps<typeof FormPanel>['look']
  /** Where people say why they do it. */
  reason?: { label: string; hint?: string; missing: string; maxLength?: number }
  /** @param reason without spaces around it; empty where none is asked for. */
  act(reason: string): Promise<void>
  explain: NonNullable<FormOptions<{ reason: string }>['explain']>
  onClose(): void
  children?: ReactNode
}

/** Asks, beside the list, before something is done that has nothing to fill in but perhaps why. */
export function ConfirmPanel({
  title,
  lead,
  send,
  look,
  reason,
  act,
  explain,
  onClose,
  children,
}: ConfirmPanelProps) {
  const form = useForm({
    initial: { reason: '' },
    check: values => (reason && values.reason.trim() === '' ? { reason: reason.missing } : {}),
    send: values => act(values.reason.trim()),
    explain,
  })
  return (
    <FormPanel title={title} lead={lead} form={form} send={send} look={look} onClose={onClose}>
      {children}
      {reason && (
        <TextAreaField
          name="reason"
          label={reason.label}
          hint={reason.hint}
          maxLength={reason.maxLength ?? 500}
        />
      )}
    </FormPanel>
  )
}
