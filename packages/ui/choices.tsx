import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { controlBorder, controlLook, describedBy, HintAndError, Labelled } from './field.tsx'
import { useFormField, type FormValues } from './form.tsx'
import { Icon } from './icons.tsx'
import { texts } from './texts.ts'

export interface Choice {
  value: string
  label: string
  hint?: string
}

interface ChoiceProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  choices: readonly Choice[]
}

/**
 * One of many. `required`: something is always chosen, so there is no empty option. `onChoose`: what else it decides.
 */
export function SelectField({
  name,
  label,
  hint,
  optional,
  choices,
  required,
  onChoose,
}: ChoiceProps & { required?: boolean; onChoose?: (value: string) => FormValues }) {
  const { id, value, error, assign } = useFormField(name)
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional ?? false}>
      <Chevron>
        <select
          id={id}
          name={name}
          value={String(value)}
          onChange={({ target }) => assign({ [name]: target.value, ...onChoose?.(target.value) })}
          aria-invalid={error ? true : undefined}
          aria-required={optional ? undefined : true}
          aria-describedby={describedBy(id, hint, error)}
          className={classNames(controlLook, controlBorder(error), 'appearance-none pr-9')}
        >
          {/* A value that is no choice would look like the first one. */}
          {!(required && choices.some(choice => choice.value === String(value))) && (
            <option value="">{texts.choose}</option>
          )}
          {choices.map(choice => (
            <option key={choice.value} value={choice.value} suppressHydrationWarning>
              {choice.label}
            </option>
          ))}
        </select>
      </Chevron>
    </Labelled>
  )
}

/** Several of a few: check boxes. One of a few: `single`, radio buttons. */
export function ChoicesField({
  name,
  label,
  hint,
  choices,
  optional,
  single,
  onChoose,
}: ChoiceProps & { single?: boolean; onChoose?: (value: string) => FormValues }) {
  const { id, value, error, set, assign } = useFormField(name)
  const chosen = typeof value === 'string' ? [value] : value
  const toggle = (choice: string, on: boolean) => {
    if (single) assign({ [name]: choice, ...onChoose?.(choice) })
    else set(choices.map(c => c.value).filter(c => (c === choice ? on : chosen.includes(c))))
  }
  return (
    <fieldset id={id} aria-describedby={describedBy(id, hint, error)} className="space-y-1.5">
      <legend className="flex items-baseline gap-2 text-14 font-medium">
        {label}
        {optional && <span className="text-13 font-normal text-soft">{texts.optional}</span>}
      </legend>
      <HintAndError id={id} hint={hint} error={error} />
      <div className="grid gap-2 sm:grid-cols-2">
        {choices.map(choice => (
          <label
            key={choice.value}
            className={classNames(
              'control flex items-start gap-3 rounded-8 border bg-surface px-3 py-2 transition-colors duration-100 hover:border-ink',
              'has-checked:border-accent has-checked:bg-accent-tint has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
              controlBorder(error),
            )}
          >
            <input
              type={single ? 'radio' : 'checkbox'}
              name={name}
              value={choice.value}
              checked={chosen.includes(choice.value)}
              onChange={event => toggle(choice.value, event.target.checked)}
              className="mt-1 size-4 shrink-0 accent-accent focus-visible:outline-none"
            />
            <span className="min-w-0">
              <span className="block text-14 font-medium">{choice.label}</span>
              {choice.hint && <span className="block text-13 text-soft">{choice.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Several of very many, such as countries: each chosen one becomes a chip that can be removed. */
export function PickField({ name, label, hint, optional, choices }: ChoiceProps) {
  const { id, value, error, set } = useFormField(name)
  const chosen = typeof value === 'string' ? [] : value
  const left = choices.filter(choice => !chosen.includes(choice.value))
  const nameOf = (chosenValue: string) => choices.find(c => c.value === chosenValue)?.label ?? chosenValue
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional ?? false}>
      <Chevron>
        <select
          id={id}
          value=""
          onChange={event => event.target.value && set([...chosen, event.target.value])}
          aria-describedby={describedBy(id, hint, error)}
          className={classNames(controlLook, controlBorder(error), 'appearance-none pr-9')}
        >
          <option value="">{texts.choose}</option>
          {left.map(choice => (
            <option key={choice.value} value={choice.value} suppressHydrationWarning>
              {choice.label}
            </option>
          ))}
        </select>
      </Chevron>
      {chosen.length > 0 && (
        <ul className="flex flex-wrap gap-2 pt-1">
          {chosen.map(code => (
            <li
              key={code}
              className="inline-flex items-center gap-1 rounded-6 bg-accent-tint py-0.5 pr-0.5 pl-2.5 text-14 text-accent"
            >
              {nameOf(code)}
              <button
                type="button"
                aria-label={texts.remove(nameOf(code))}
                onClick={() => set(chosen.filter(other => other !== code))}
                className="inline-flex size-6 items-center justify-center rounded-6 hover:bg-hover max-sm:size-8"
              >
                <Icon name="cross" className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Labelled>
  )
}

/** Replaces the browser's own arrow, which is too close to the edge. */
function Chevron({ children }: { children: ReactNode }) {
  return (
    <div className="relative">
      {children}
      <Icon name="chevron" className="pointer-events-none absolute inset-y-0 right-3 my-auto text-soft" />
    </div>
  )
}
