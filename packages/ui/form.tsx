import { createContext, use, useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { ErrorSummary } from './error-summary.tsx'
import { fieldId } from './focus-field.ts'
import type { Trouble } from './trouble.ts'

export type FormValue = string | readonly string[]
/** Named by their path in the request (`companyProfile.name`), so that a refusal finds its field by itself. */
export type FormValues = Record<string, FormValue>
export type FormErrors = Partial<Record<string, string>>

export interface FormOptions<V extends FormValues> {
  initial: V
  /** What is wrong with the values, by field; empty when nothing is. */
  check(values: V): FormErrors
  send(values: V): Promise<void> | void
  /** A failed `send`, told apart into the fields' errors and the trouble as a whole. */
  explain?(error: unknown): { errors?: FormErrors; trouble?: Trouble }
  onChange?(values: V): void
  /** Errors known before the first try, such as those another page found. */
  initialErrors?: FormErrors
}

export interface Form<V extends FormValues> {
  id: string
  values: V
  errors: FormErrors
  trouble: Trouble | undefined
  pending: boolean
  set(name: keyof V & string, value: FormValue): void
  submit(event: FormEvent): void
  /** Sends once more what stands in the form: what stood in the way is out of it. */
  again(): void
}

/** A form's values, its errors and its way out; the fields find it through {@link FormShell}. */
export function useForm<V extends FormValues>(options: FormOptions<V>): Form<V> {
  const id = useId()
  const [values, setValues] = useState(options.initial)
  const [errors, setErrors] = useState<FormErrors>(options.initialErrors ?? {})
  const [trouble, setTrouble] = useState<Trouble>()
  const [pending, setPending] = useState(false)
  const busy = useRef(false)

  const fail = (found: FormErrors, whole?: Trouble): void => {
    flushSync(() => {
      setErrors(found)
      setTrouble(whole)
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
    setTrouble(undefined)
    try {
      await options.send(values)
      setPending(false)
    } catch (error) {
      if (!options.explain) throw error
      const { errors: refused = {}, trouble: whole } = options.explain(error)
      fail(refused, whole)
    } finally {
      busy.current = false
    }
  }

  const again = (): void => {
    if (!busy.current) void send()
  }

  return {
    id,
    values,
    errors,
    trouble,
    pending,
    set(name, value) {
      const next = { ...values, [name]: value }
      setValues(next)
      options.onChange?.(next)
      // A field in error is judged again while it is being mended; others are left alone until the next try.
      if (errors[name]) setErrors({ ...errors, [name]: options.check(next)[name] })
    },
    submit(event) {
      event.preventDefault()
      again()
    },
    again,
  }
}

const FormContext = createContext<Form<FormValues> | undefined>(undefined)

export const summaryId = (formId: string) => `${formId}-problems`

/** What a field needs of the form around it. */
export function useFormField(name: string) {
  const form = use(FormContext)
  if (!form) throw new Error(`The field ${name} stands in no form.`)
  return {
    id: fieldId(form.id, name),
    value: form.values[name] ?? '',
    error: form.errors[name],
    set: (value: FormValue) => form.set(name, value),
  }
}

interface FormShellProps<V extends FormValues> {
  form: Form<V>
  children: ReactNode
  className?: string
  /** Where a line of the summary leads whose field is on another page. */
  onFollow?: (name: string) => void
}

/** The form element with its error summary at the head. */
export function FormShell<V extends FormValues>({
  form,
  children,
  className = 'space-y-6',
  onFollow,
}: FormShellProps<V>) {
  return (
    <FormContext value={form}>
      <form noValidate onSubmit={form.submit} className={className}>
        <ErrorSummary formId={form.id} errors={form.errors} trouble={form.trouble} onFollow={onFollow} />
        {children}
      </form>
    </FormContext>
  )
}
