import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { type Form, FormActions, FormShell, type FormValues } from './form.tsx'
import { SidePanel } from './side-panel.tsx'

interface FormPanelProps<V extends FormValues> {
  title: string
  /** What the reader should know first. */
  lead?: ReactNode
  form: Form<V>
  /** On the button that sends the form. */
  send: string
  look?: 'primary' | 'danger'
  onClose(): void
  children?: ReactNode
}

/** A form beside the list that it changes. */
export function FormPanel<V extends FormValues>({
  title,
  lead,
  form,
  send,
  look = 'primary',
  onClose,
  children,
}: FormPanelProps<V>) {
  return (
    <SidePanel open onClose={onClose} title={title} focusesField>
      {typeof lead === 'string' ? <p className="mb-6 text-14 wrap-anywhere text-soft">{lead}</p> : lead}
      <FormShell form={form}>
        {children}
        <FormActions onCancel={onClose}>
          <Button type="submit" look={look} pending={form.pending}>
            {send}
          </Button>
        </FormActions>
      </FormShell>
    </SidePanel>
  )
}
