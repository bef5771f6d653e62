import { createContext, use, useEffect, useId, useSyncExternalStore, type ReactNode } from 'react'

/** The form that proves again who is signed in. */
type ConfirmationForm = (props: { onConfirmed(): void; onCancel(): void }) => ReactNode

interface Pending {
  promise: Promise<boolean>
  answer(confirmed: boolean): void
}

let pending: Pending | undefined
let outlets: readonly string[] = []
const listeners = new Set<() => void>()
const changed = (): void => listeners.forEach(listener => listener())

function answer(confirmed: boolean): void {
  pending?.answer(confirmed)
  pending = undefined
  changed()
}

/** Asks the person to prove again who they are. False where they decline or no page can ask. */
function askForConfirmation(): Promise<boolean> {
  if (outlets.length === 0) return Promise.resolve(false)
  if (!pending) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    pending = { promise, answer: resolve }
    changed()
  }
  return pending.promise
}

/** `fetch` for a console: a request that needs a fresh confirmation waits for it and is sent again. */
export async function fetchConfirmed(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.status !== 403) return response
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  if (problem?.code !== 'confirmation-needed') return response
  return (await askForConfirmation()) ? fetch(url, init) : response
}

const FormContext = createContext<ConfirmationForm | undefined>(undefined)

/** Gives a console its form for {@link ConfirmationOutlet}. */
export function ConfirmationProvider({ form, children }: { form: ConfirmationForm; children: ReactNode }) {
  return <FormContext value={form}>{children}</FormContext>
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Where the confirmation is asked for: at the head of the page, or of the panel that is open above it. */
export function ConfirmationOutlet({ className }: { className?: string }) {
  const id = useId()
  const form = use(FormContext)
  const isAsked = useSyncExternalStore(
    subscribe,
    () => pending !== undefined && outlets.at(-1) === id,
    () => false,
  )
  useEffect(() => {
    if (!form) return undefined
    outlets = [...outlets, id]
    return () => {
      if (outlets.at(-1) === id) answer(false)
      outlets = outlets.filter(other => other !== id)
    }
  }, [id, form])
  if (!isAsked || !form) return null
  return (
    <div className={className}>
      {form({ onConfirmed: () => answer(true), onCancel: () => answer(false) })}
    </div>
  )
}
