import { isCredential, noAnswers, type Answers } from './answers.ts'

const KEY = 'windlass.application-draft'

export interface Draft {
  /** ISO 8601. */
  savedAt: string
  answers: Answers
}

/** Stores the answers on this device, without credentials. Returns the time (ISO 8601), or undefined without storage. */
export function saveDraft(answers: Answers): string | undefined {
  const savedAt = new Date().toISOString()
  const kept = Object.fromEntries(Object.entries(answers).filter(([name]) => !isCredential(name)))
  try {
    localStorage.setItem(KEY, JSON.stringify({ savedAt, answers: kept }))
    return savedAt
  } catch {
    return undefined
  }
}

/** The draft of an earlier visit. Answers that an older version of this page stored are kept where they fit. */
export function readDraft(): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return undefined
    const { savedAt, answers } = stored as { savedAt?: unknown; answers?: unknown }
    if (typeof savedAt !== 'string' || Number.isNaN(Date.parse(savedAt))) return undefined
    return { savedAt, answers: fitting((answers ?? {}) as Record<string, unknown>) }
  } catch {
    return undefined
  }
}

export function deleteDraft(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Without storage there is no draft.
  }
}

function fitting(stored: Record<string, unknown>): Answers {
  const entries = Object.entries(noAnswers).map(([name, initial]) => {
    const value = stored[name]
    const fits = Array.isArray(initial)
      ? Array.isArray(value) && value.every(item => typeof item === 'string')
      : typeof value === 'string'
    return [name, fits && !isCredential(name) ? value : initial]
  })
  return Object.fromEntries(entries) as Answers
}
