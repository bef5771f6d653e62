import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react'
import { flushSync } from 'react-dom'
import { Button } from './button.tsx'
import { ErrorSummary } from './error-summary.tsx'
import { fieldId } from './focus-field.ts'
import { takeTyped, type FormValue } from './hydration.ts'
import { texts } from './texts.ts'
import type { ErrorDescription } from './error-summary.tsx'

/** Named by their path in the request (`companyProfile.name`), so that each refused value finds its field. */
export type FormValues = Record<string, FormValue>
export type FormErrors = Partial<Record<string, string>>

export interface FormOptions<V extends FormValues> {
  initial: V
  /** The errors by field; empty when the values are valid. */
  check(values: V): FormErrors
  send(values: V): Promise<void> | void
  /** Splits a failed `send` into errors of fields and an error of the whole form. */
  explain?(error: unknown): { errors?: FormErrors; failure?: ErrorDescription }
  onChange?(values: V): void
  /** Errors known before the first submit, such as those another page found. */
  initialErrors?: FormErrors
}

export interface Form<V extends FormValues> {
  id: string
  values: V
  errors: FormErrors
  failure: ErrorDescription | undefined
  pending: boolean
  /** Something was typed that was not sent. */
  isTyped: boolean
  set(name: keyof V & string, value: FormValue): void
  /** As `set`, for several fields that one choice decides. */
  assign(changes: Partial<V>): void
  submit(event: FormEvent): void
  /** Sends the form again after its obstacle was removed. */
  resubmit(): void
}

/** The state of a form. Its fields find it through {@link FormShell}. */
export function useForm<V extends FormValues>(options: FormOptions<V>): Form<V> {
  const id = useId()
  const [values, setValues] = useState(options.initial)
  const [errors, setErrors] = useState<FormErrors>(options.initialErrors ?? {})
  const [failure, setFailure] = useState<ErrorDescription>()
  const [pending, setPending] = useState(false)
  const [sent, setSent] = useState(options.initial)
  const busy = useRef(false)

  const fail = (found: FormErrors, description?: ErrorDescription): void => {
    flushSync(() => {
      setErrors(found)
      setFailure(description)
      setPending(false)
    })
    document.getElementById(summaryId(id))?.focus()
  }

  const send = async (): Promise<void> => {
    const found = options.check(values)
    if (Object.keys(found).length > 0) return fail(found)
    busy.current = true
    setPending(true)
    setErrors({})
    setFailure(undefined)
    try {
      await options.send(values)
      setPending(false)
      setSent(values)
    } catch (error) {
      if (!options.explain) throw error
      const { errors: refused = {}, failure } = options.explain(error)
      fail(refused, failure)
    } finally {
      busy.current = false
    }
  }

  const acceptTyped = useEffectEvent(() => {
    const typed = takeTyped(Object.keys(values))
    if (Object.keys(typed).length === 0) return
    const next = { ...values, ...typed }
    setValues(next)
    options.onChange?.(next)
  })
  useEffect(() => acceptTyped(), [])

  const resubmit = (): void => {
    if (!busy.current) void send()
  }

  const assign = (changes: Partial<V>): void => {
    const next = { ...values, ...changes }
    setValues(next)
    options.onChange?.(next)
    // Fields with an error are checked again while they are edited; the others wait for the next submit.
    const wrong = Object.keys(changes).filter(name => errors[name])
    if (wrong.length === 0) return
    const found = options.check(next)
    setErrors({ ...errors, ...Object.fromEntries(wrong.map(name => [name, found[name]])) })
  }

  return {
    id,
    values,
    errors,
    failure,
    pending,
    isTyped: values !== sent,
    set: (name, value) => assign({ [name]: value } as Partial<V>),
    assign,
    submit(event) {
      event.preventDefault()
      resubmit()
    },
    resubmit,
  }
}

const FormContext = createContext<Form<FormValues> | undefined>(undefined)

const summaryId = (formId: string) => `${formId}-problems`

/** A field's part of the form around it. */
export function useFormField(name: string) {
  const form = use(FormContext)
  if (!form) throw new Error(`The field ${name} is not inside a FormShell.`)
  return {
    id: fieldId(form.id, name),
    value: form.values[name] ?? '',
    error: form.errors[name],
    set: (value: FormValue) => form.set(name, value),
    assign: (changes: FormValues) => form.assign(changes),
  }
}

interface FormShellProps<V extends FormValues> {
  form: Form<V>
  children: ReactNode
  className?: string
  /** Handles a line of the summary whose field is on another page. */
  onFollow?: (name: string) => void
}

/** The form element, with its error summary above the fields. */
export function FormShell<V extends FormValues>({
  form,
  children,
  className = 'space-y-6',
  onFollow,
}: FormShellProps<V>) {
  return (
    <FormContext value={form}>
      <form noValidate data-typed={form.isTyped || undefined} onSubmit={form.submit} className={className}>
        <ErrorSummary formId={form.id} errors={form.errors} failure={form.failure} onFollow={onFollow} />
        {children}
      </form>
    </FormContext>
  )
}

/** The buttons below a form: its submit button, and a way to leave it. */
export function FormActions({ children, onCancel }: { children: ReactNode; onCancel(): void }) {
  return (
    <div className="flex flex-wrap gap-2">
      {children}
      <Button look="quiet" onClick={onCancel}>
        {texts.cancel}
      </Button>
    </div>
  )
}
