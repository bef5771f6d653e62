import { Fragment, useEffect, useRef, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { texts } from './texts.ts'

/** First in the tab order: skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#content"
      onClick={event => {
        event.preventDefault()
        document.getElementById('content')?.focus()
      }}
      className="sr-only rounded-8 bg-accent px-4 py-2 text-14 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
    >
      {texts.skipToContent}
    </a>
  )
}

let opened = false

interface PageHeadingProps {
  title: string
  /** The title of the browser tab, where it differs from the heading. */
  documentTitle?: string
  product: string
  lead?: ReactNode
  actions?: ReactNode
  className?: string
}

/**
 * The h1 of a page. After navigation it receives the focus, so that screen readers announce the page; the first
 * page of a visit leaves the focus where the browser put it.
 */
export function PageHeading({ title, documentTitle, product, lead, actions, className }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${documentTitle ?? title} · ${product}`
  }, [documentTitle, title, product])
  // Once: a heading that changes later (a stage fails) must not take the focus from a button.
  useEffect(() => {
    if (opened) heading.current?.focus({ preventScroll: true })
    opened = true
  }, [])
  return (
    <header className={classNames('flex flex-wrap items-start justify-between gap-x-6 gap-y-3', className)}>
      <div className="min-w-0 space-y-1.5">
        <h1 ref={heading} tabIndex={-1} className="text-22 font-semibold tracking-[-0.011em]">
          {title}
        </h1>
        {lead && <div className="max-w-[62ch] text-15 text-soft">{lead}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}

/** The heading of a part of a page. */
export function SectionHeading({
  title,
  lead,
  actions,
}: {
  title: string
  lead?: string
  actions?: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div>
        <h2 className="text-18 font-semibold">{title}</h2>
        {lead && <p className="max-w-[62ch] text-14 text-soft">{lead}</p>}
      </div>
      {actions}
    </div>
  )
}

/** A bordered area for related content. */
export function Panel({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <section className={classNames('rounded-8 border border-line bg-surface', className)}>{children}</section>
  )
}

/** A list of names and values. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={classNames('divide-y divide-line', className)}>{children}</dl>
}

export function Fact({ name, children, action }: { name: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-0.5 py-2.5">
      <dt className="w-40 shrink-0 text-14 text-soft max-sm:w-full">{name}</dt>
      <dd className="min-w-0 flex-1 basis-40 text-14 wrap-break-word">{children}</dd>
      {action && <dd className="text-14">{action}</dd>}
    </div>
  )
}

/** A domain that wraps at its dots. */
export function Domain({ children }: { children: string }) {
  return (
    <span className="font-mono text-13 wrap-anywhere">
      {children.split(/(?<=\.)/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}
