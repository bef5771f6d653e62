import { useState, type ReactNode } from 'react'
import { Button, type Look } from './button.tsx'
import { FormActions, type FormOptions, FormShell, type FormValues, useForm } from './form.tsx'

interface OpenedFormProps<V extends FormValues> extends FormOptions<V> {
  /** On the button in whose place the form opens; once it is sent, the button is back. */
  start: string
  startLook?: Look
  /** What the reader should know first. */
  lead: string
  confirm: string
  look?: 'primary' | 'danger'
  children: ReactNode
}

/** A button that opens a form in its place. */
export function OpenedForm<V extends FormValues>({ start, startLook, ...form }: OpenedFormProps<V>) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <Opened {...form} onClose={() => setOpen(false)} />
  return (
    <Button
      look={startLook}
      className={startLook?.startsWith('quiet') ? '-ml-3.5' : undefined}
      onClick={() => setOpen(true)}
    >
      {start}
    </Button>
  )
}

type OpenedProps<V extends FormValues> = Omit<OpenedFormProps<V>, 'start' | 'startLook'> & { onClose(): void }

function Opened<V extends FormValues>(props: OpenedProps<V>) {
  const { lead, confirm, look = 'primary', children, onClose, send, ...options } = props
  const form = useForm<V>({
    ...options,
    send: async values => {
      await send(values)
      onClose()
    },
  })
  return (
    <FormShell form={form} className="space-y-3">
      <p className="text-14 text-soft">{lead}</p>
      {children}
      <FormActions onCancel={onClose}>
        <Button type="submit" look={look} pending={form.pending}>
          {confirm}
        </Button>
      </FormActions>
    </FormShell>
  )
}
