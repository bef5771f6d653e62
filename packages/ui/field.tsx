import { useState, type ComponentProps, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useFormField } from './form.tsx'
import { Icon } from './icons.tsx'
import { texts } from './texts.ts'

export const controlLook =
  'control w-full rounded-8 border bg-surface px-3 text-15 text-ink placeholder:text-soft transition-colors duration-100 hover:border-ink'

export const controlBorder = (error: string | undefined) => (error ? 'border-bad' : 'border-control')

interface LabelledProps {
  id: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean
  children: ReactNode
}

/** Label, hint and error of a control. The control refers to them with `describedBy(id, …)`. */
export function Labelled({ id, label, hint, error, optional, children }: LabelledProps) {
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="flex items-baseline gap-2 text-14 font-medium">
        {label}
        {optional && <span className="text-13 font-normal text-soft">{texts.optional}</span>}
      </label>
      <HintAndError id={id} hint={hint} error={error} />
      {children}
    </div>
  )
}

export function HintAndError({
  id,
  hint,
  error,
}: {
  id: string
  hint?: ReactNode
  error?: string | undefined
}) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="text-13 text-soft">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-13 font-medium text-bad">
          <Icon name="alert" className="mt-0.5" />
          <span>
            <span className="sr-only">{texts.error} </span>
            {error}
          </span>
        </p>
      )}
    </>
  )
}

export const describedBy = (id: string, hint: unknown, error: unknown, ...further: (string | undefined)[]) =>
  [hint && `${id}-hint`, error && `${id}-error`, ...further].filter(Boolean).join(' ') || undefined

type InputProps = Omit<ComponentProps<'input'>, 'name' | 'id' | 'value' | 'onChange'>

interface TextFieldProps extends InputProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  /** Normalizes the input while typing: upper case, no spaces. */
  clean?: (text: string) => string
  /** Below the input: live feedback on the value. */
  children?: ReactNode
}

export function TextField({
  name,
  label,
  hint,
  optional,
  clean,
  children,
  className,
  ...rest
}: TextFieldProps) {
  const { id, value, error, set } = useFormField(name)
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional ?? false}>
      <input
        type="text"
        {...rest}
        id={id}
        name={name}
        value={String(value)}
        onChange={event => set(clean ? clean(event.target.value) : event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-required={optional ? undefined : true}
        aria-describedby={describedBy(id, hint, error, children ? `${id}-live` : undefined)}
        className={classNames(controlLook, controlBorder(error), className)}
      />
      {children && <div id={`${id}-live`}>{children}</div>}
    </Labelled>
  )
}

/** A password that can be shown. `children`: feedback on its strength. */
export function PasswordField({ name, label, hint, children, ...rest }: TextFieldProps) {
  const [visible, setVisible] = useState(false)
  const { id, value, error, set } = useFormField(name)
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          {...rest}
          type={visible ? 'text' : 'password'}
          id={id}
          name={name}
          value={String(value)}
          spellCheck={false}
          autoCapitalize="off"
          onChange={event => set(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-required
          aria-describedby={describedBy(id, hint, error, children ? `${id}-live` : undefined)}
          className={classNames(controlLook, controlBorder(error), 'pr-20')}
        />
        <button
          type="button"
          onClick={() => setVisible(!visible)}
          aria-pressed={visible}
          aria-label={texts.showPassword}
          className="absolute inset-y-1 right-1 inline-flex items-center gap-1.5 rounded-6 px-2 text-13 font-medium text-soft hover:bg-hover hover:text-ink"
        >
          <Icon name={visible ? 'eyeOff' : 'eye'} />
          {visible ? texts.hide : texts.show}
        </button>
      </div>
      {children && <div id={`${id}-live`}>{children}</div>}
    </Labelled>
  )
}

export function TextAreaField({
  name,
  label,
  hint,
  optional,
  ...rest
}: Omit<ComponentProps<'textarea'>, 'name' | 'id' | 'value' | 'onChange'> & {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
}) {
  const { id, value, error, set } = useFormField(name)
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional ?? false}>
      <textarea
        rows={4}
        {...rest}
        id={id}
        name={name}
        value={String(value)}
        onChange={event => set(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-required={optional ? undefined : true}
        aria-describedby={describedBy(id, hint, error)}
        className={classNames(controlLook, controlBorder(error), 'py-2')}
      />
    </Labelled>
  )
}
