import { useId, type FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../button.tsx'
import { controlLook, Labelled } from '../field.tsx'
import { listTexts } from '../list-texts.ts'
import { SavedFilters } from './saved-filters.tsx'

export interface SearchField {
  /** The name of the parameter in the address. */
  name: string
  label: string
  /** What may be typed. */
  hint?: string
  /** Values with their labels; without them the field is text. */
  choices?: readonly (readonly [value: string, label: string])[]
  /** Type of a field without choices; default: `text`. */
  type?: 'text' | 'date'
}

interface SearchFormProps {
  label: string
  fields: readonly SearchField[]
  values: Record<string, string | undefined>
  /** The path of a search. */
  to(values: Record<string, string | undefined>): string
}

/** Filters of a list, kept in the address. A choice applies immediately, text on Enter; a filter can be saved. */
export function SearchForm({ label, fields, values, to }: SearchFormProps) {
  const id = useId()
  const navigate = useNavigate()
  const search = (form: HTMLFormElement) => {
    const data = new FormData(form)
    const given = fields.map(({ name }) => [name, String(data.get(name) ?? '').trim() || undefined])
    void navigate(to(Object.fromEntries(given) as Record<string, string | undefined>))
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    search(event.currentTarget)
  }
  return (
    <div className="space-y-3">
      <form role="search" aria-label={label} onSubmit={onSubmit} className="flex flex-wrap items-end gap-3">
        {fields.map(({ name, label: fieldLabel, hint, choices, type }) => (
          <div key={name} className={`${hint ? 'flex-3' : 'flex-1'} min-w-36 max-sm:basis-full`}>
            <Labelled id={id + name} label={fieldLabel}>
              {choices ? (
                <select
                  id={id + name}
                  name={name}
                  key={values[name]}
                  defaultValue={values[name] ?? ''}
                  onChange={event => search(event.currentTarget.form!)}
                  className={`${controlLook} border-control`}
                >
                  <option value="">{listTexts.all}</option>
                  {choices.map(([value, choice]) => (
                    <option key={value} value={value}>
                      {choice}
                    </option>
                  ))}
                </select>
              ) : (
                <input
                  id={id + name}
                  name={name}
                  type={type}
                  placeholder={hint}
                  title={hint}
                  key={values[name]}
                  defaultValue={values[name] ?? ''}
                  autoComplete="off"
                  spellCheck={false}
                  className={`${controlLook} border-control`}
                />
              )}
            </Labelled>
          </div>
        ))}
        <Button type="submit">{listTexts.search}</Button>
      </form>
      <SavedFilters values={values} to={to} />
    </div>
  )
}
