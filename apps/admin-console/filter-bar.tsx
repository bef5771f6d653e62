import { classNames } from '@windlass/ui/class-names.ts'
import { Link } from 'react-router'
import { shell } from './texts/shell.ts'

interface FilterBarProps {
  /** Value and name; the empty value is no filter. */
  options: readonly (readonly [string, string])[]
  value: string
  to(value: string): string
}

/** A filter that lives in the address: it survives a reload and can be sent to a colleague. */
export function FilterBar({ options, value, to }: FilterBarProps) {
  return (
    <nav aria-label={shell.filter} className="flex flex-wrap gap-1">
      {[['', shell.all] as const, ...options].map(([option, name]) => (
        <Link
          key={option}
          to={to(option)}
          aria-current={option === value ? 'true' : undefined}
          className={classNames(
            'control inline-flex items-center rounded-8 border px-3 text-14 font-medium',
            option === value
              ? 'border-accent bg-accent-tint text-accent'
              : 'border-line bg-surface text-soft hover:text-ink',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
