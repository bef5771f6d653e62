import { useEffect, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { formatAgo } from './format-units.ts'
import { Icon, Spinner } from './icons.tsx'
import { Notice } from './notice.tsx'
import { texts } from './texts.ts'
import { FailureDetail, SignInAgain, type ErrorDescription } from './error-summary.tsx'

/** The state of the request behind a screen. */
interface Loaded<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  /** Milliseconds since 1970. */
  dataUpdatedAt: number
  refetch(): unknown
}

interface DataScreenProps<T> {
  query: Loaded<T>
  explain(error: unknown): ErrorDescription
  /** Has the shape of the data. */
  skeleton: ReactNode
  isEmpty?(data: T): boolean
  /** Says why there is no data and offers the next action. */
  empty?: ReactNode
  children(data: T): ReactNode
}

/** The five states of a data screen: skeleton, empty, error (or no access), stale, and the data itself. */
export function DataScreen<T>({ query, explain, skeleton, isEmpty, empty, children }: DataScreenProps<T>) {
  const { data, error } = query
  if (data === undefined) {
    return error ? (
      <ErrorNotice
        failure={explain(error)}
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <Skeleton>{skeleton}</Skeleton>
    )
  }
  return (
    <>
      {Boolean(error) && <StaleNotice since={query.dataUpdatedAt} />}
      {isEmpty?.(data) ? empty : children(data)}
    </>
  )
}

interface ErrorNoticeProps {
  failure: ErrorDescription
  retrying?: boolean
  onRetry?: () => void
  children?: ReactNode
}

/** An error, the action that may fix it, and the request ID for support. */
export function ErrorNotice({ failure, retrying = false, onRetry, children }: ErrorNoticeProps) {
  return (
    <Notice
      tone={failure.kind === 'forbidden' || failure.kind === 'missing' ? 'neutral' : 'bad'}
      title={failure.title}
      role="alert"
      actions={
        <>
          {onRetry && (
            <Button pending={retrying} onClick={onRetry}>
              {texts.retry}
            </Button>
          )}
          {children}
        </>
      }
    >
      <FailureDetail {...failure} />
      {failure.requestId && (
        <p className="mt-1 text-13">
          {texts.requestId} <code className="font-mono break-all">{failure.requestId}</code>
        </p>
      )}
      {failure.kind === 'expired' && <SignInAgain />}
    </Notice>
  )
}

/** The age of the data while it cannot be refreshed. */
function StaleNotice({ since }: { since: number }) {
  const now = useNow(1000)
  return (
    <p
      role="status"
      className="mb-3 flex items-center gap-2 rounded-6 bg-warn-tint px-3 py-1.5 text-13 text-warn"
    >
      <Spinner className="size-3.5" />
      {texts.updatedReconnecting(formatAgo(since, now))}
    </p>
  )
}

/** The current time in milliseconds since 1970, updated every `every` milliseconds. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}

function Skeleton({ children }: { children: ReactNode }) {
  return (
    <div role="status" aria-busy="true">
      <span className="sr-only">{texts.loading}</span>
      <div aria-hidden="true" className="animate-pulse">
        {children}
      </div>
    </div>
  )
}

/** An empty list: why it is empty and the next action. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-8 border border-dashed border-line px-6 py-14 text-center">
      <Icon name="anchor" className="mb-1 size-6 text-soft" />
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-prose text-14 text-soft">{children}</div>}
      {action && <div className="pt-2">{action}</div>}
    </div>
  )
}
