import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral'

const toneLook: Record<Tone, string> = {
  good: 'bg-good-tint text-good',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
  info: 'bg-accent-tint text-accent',
  neutral: 'bg-hover text-soft',
}

const toneIcon: Record<Tone, IconName> = {
  good: 'check',
  warn: 'alert',
  bad: 'alert',
  info: 'clock',
  neutral: 'ring',
}

/** A status as icon, word and tint. */
export function Status({ tone, icon, children }: { tone: Tone; icon?: IconName; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-6 items-center gap-1.5 rounded-6 px-2 text-13 font-medium whitespace-nowrap',
        toneLook[tone],
      )}
    >
      <Icon name={icon ?? toneIcon[tone]} className="size-3.5" />
      {children}
    </span>
  )
}

interface NoticeProps {
  tone: Tone
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  /** Screen readers announce an `alert` immediately and a `status` at the next pause. */
  role?: 'alert' | 'status'
}

export function Notice({ tone, title, children, actions, role }: NoticeProps) {
  return (
    <div role={role} className="flex gap-3 rounded-8 border border-line bg-surface p-4">
      <span
        className={classNames('flex size-7 shrink-0 items-center justify-center rounded-6', toneLook[tone])}
      >
        <Icon name={toneIcon[tone]} />
      </span>
      <div className="min-w-0 flex-1 space-y-1">
        <p className="font-semibold">{title}</p>
        {children && <div className="text-14 text-soft">{children}</div>}
        {actions && <div className="flex flex-wrap gap-2 pt-2">{actions}</div>}
      </div>
    </div>
  )
}
