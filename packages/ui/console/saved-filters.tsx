import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'react-router'
import { Button, buttonLook } from '../button.tsx'
import { controlLook } from '../field.tsx'
import { Icon } from '../icons.tsx'
import { filterKey } from './filter-storage.ts'
import { filterTexts as texts } from './filter-texts.ts'
import { useStored } from './use-stored.ts'

type Values = Record<string, string | undefined>

interface SavedFilter {
  name: string
  values: Values
}

const MOST = 20

interface SavedFiltersProps {
  /** The filter that the list has now. */
  values: Values
  /** The path of a filter. */
  to(values: Values): string
}

/** Filters that a person named in this browser, until they sign out or another person signs in: for a list of any anchor, by the last part of its address. */
export function SavedFilters({ values, to }: SavedFiltersProps) {
  const list = useLocation().pathname.split('/').at(-1) ?? ''
  const [saved, save] = useStored(filterKey(list), readFilters)
  const [naming, setNaming] = useState(false)
  const current = to(values)
  const canSave = Object.values(values).some(Boolean) && saved.every(each => to(each.values) !== current)
  if (saved.length === 0 && !canSave) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {saved.map(filter => (
        <SavedLink
          key={filter.name}
          name={filter.name}
          to={to(filter.values)}
          isCurrent={to(filter.values) === current}
          onRemove={() => save(saved.filter(each => each !== filter))}
        />
      ))}
      {canSave && !naming && saved.length < MOST && (
        <Button look="quiet" onClick={() => setNaming(true)}>
          {texts.save}
        </Button>
      )}
      {canSave && naming && (
        <NameForm
          onName={name => {
            save([...saved.filter(each => each.name !== name), { name, values }])
            setNaming(false)
          }}
        />
      )}
    </div>
  )
}

interface SavedLinkProps {
  name: string
  to: string
  isCurrent: boolean
  onRemove(): void
}

function SavedLink({ name, to, isCurrent, onRemove }: SavedLinkProps) {
  return (
    <span className="inline-flex items-center rounded-8 border border-line bg-surface">
      <Link to={to} aria-current={isCurrent ? 'true' : undefined} className={buttonLook('quiet')}>
        {name}
      </Link>
      <button
        type="button"
        aria-label={texts.remove(name)}
        onClick={onRemove}
        className="control inline-flex cursor-pointer items-center rounded-8 px-2 text-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="cross" className="size-3.5" />
      </button>
    </span>
  )
}

function NameForm({ onName }: { onName(name: string): void }) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = new FormData(event.currentTarget).get('name')
    if (typeof name === 'string' && name.trim()) onName(name.trim())
  }
  return (
    <form onSubmit={onSubmit} className="flex flex-wrap items-center gap-2">
      <input
        name="name"
        aria-label={texts.name}
        placeholder={texts.name}
        maxLength={40}
        required
        autoFocus
        autoComplete="off"
        className={`${controlLook} w-44 border-control`}
      />
      <Button type="submit">{texts.keep}</Button>
    </form>
  )
}

/** What is stored may be of another release, or another program's. */
function readFilters(stored: unknown): readonly SavedFilter[] {
  if (!Array.isArray(stored)) return []
  return stored.filter(isFilter).slice(0, MOST)
}

const isFilter = (each: unknown): each is SavedFilter =>
  typeof each === 'object' &&
  each !== null &&
  typeof (each as SavedFilter).name === 'string' &&
  typeof (each as SavedFilter).values === 'object' &&
  (each as SavedFilter).values !== null
