import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './icons.tsx'

export type Look = 'primary' | 'secondary' | 'quiet' | 'danger' | 'quietDanger'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  secondary: 'bg-surface text-ink border-control hover:bg-hover',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-hover',
  quietDanger: 'bg-transparent text-bad border-transparent hover:bg-bad-tint',
  danger: 'bg-bad text-on-bad hover:bg-bad-strong border-transparent',
}

/** The classes of a button, for links that look like one. */
export const buttonLook = (look: Look = 'secondary', className = ''): string =>
  classNames(
    'control inline-flex items-center justify-center gap-2 rounded-8 border px-3.5 text-14 font-medium',
    'transition-colors duration-100 select-none',
    looks[look],
    className,
  )

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** The action is running: the button keeps its size and focus and ignores clicks. */
  pending?: boolean
  children: ReactNode
}

export function Button({ look, pending = false, className, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={event => (pending ? event.preventDefault() : onClick?.(event))}
      className={classNames(
        buttonLook(look, className),
        'disabled:opacity-50',
        pending && 'cursor-progress opacity-80',
      )}
    >
      {pending && <Spinner />}
      {children}
    </button>
  )
}
