import { AsyncLocalStorage } from 'node:async_hooks'

/** The request that work is done for. It is logged, sent to other services and stored with queued work. */
export interface Origin {
  requestId: string
  /** W3C Trace Context, if the request is traced. */
  traceparent?: string | undefined
}

/** What everything that a request causes knows of it. */
export interface RequestContext extends Origin {
  /** `RateLimit` and `RateLimit-Policy`, one entry for each limit that the request counted against. */
  limits: { left: string; policy: string }[]
  /** Calls go to a stranger, who gets neither id. */
  toStranger?: boolean
}

export const contexts = new AsyncLocalStorage<RequestContext>()

/** Sends requests to a stranger, who learns neither the request's id nor its trace. */
export function toStranger<T>(act: () => T): T {
  const context = contexts.getStore()
  return context ? contexts.run({ ...context, toStranger: true }, act) : act()
}
