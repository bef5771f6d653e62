import type { RefObject } from 'react'
import { classNames } from './class-names.ts'
import { controlBorder, controlLook, describedBy, Labelled } from './field.tsx'
import { useFormField } from './form.tsx'

interface FileFieldProps {
  name: string
  label: string
  hint: string
  /** Has the file; the form has only its name. */
  inputRef: RefObject<HTMLInputElement | null>
  optional?: boolean
}

/** A file that is sent with a form. */
export function FileField({ name, label, hint, inputRef, optional = false }: FileFieldProps) {
  const { id, error, set } = useFormField(name)
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional}>
      <input
        ref={inputRef}
        type="file"
        id={id}
        onChange={event => set(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-required={!optional}
        aria-describedby={describedBy(id, hint, error)}
        className={classNames(controlLook, controlBorder(error), 'py-2')}
      />
    </Labelled>
  )
}
