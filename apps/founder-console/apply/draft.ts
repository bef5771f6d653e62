import { LEDGER_DECIMALS, readNumber } from '@windlass/money/number-text.ts'
import { unreadAmount } from '@windlass/ui/amount-value.ts'
import { isCredential, isProviderField, noAnswers, type Answers } from './answers.ts'

const KEY = 'windlass.application-draft'
/** Since 2, amounts are kept as they were understood; before, as they were typed in whichever language. */
const VERSION = 2
const amounts: readonly string[] = [
  'paymentRails.fee.fixed',
  'paymentRails.fee.percentage',
  'paymentRails.limits.min',
  'paymentRails.limits.max',
]

interface Draft {
  /** ISO 8601. */
  savedAt: string
  answers: Answers
}

/** Stores the answers on this device, without credentials. Returns the time (ISO 8601), or undefined without storage. */
export function saveDraft(answers: Answers): string | undefined {
  const savedAt = new Date().toISOString()
  const kept = Object.fromEntries(Object.entries(answers).filter(([name]) => isKept(name)))
  try {
    localStorage.setItem(KEY, JSON.stringify({ version: VERSION, savedAt, answers: kept }))
    return savedAt
  } catch {
    return undefined
  }
}

/** The draft of an earlier visit. Answers that an older version of this page stored are kept where they fit. */
export function readDraft(): Draft | undefined {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    if (typeof draft !== 'object' || draft === null) return undefined
    const { version, savedAt, answers } = draft as {
      version?: unknown
      savedAt?: unknown
      answers?: unknown
    }
    if (typeof savedAt !== 'string' || Number.isNaN(Date.parse(savedAt))) return undefined
    const stored = (answers ?? {}) as Record<string, unknown>
    // An earlier form had no such question: an issuer alone said it.
    const given = stored['stellarConfig.assets.0.issuer'] ? { 'asset.kind': 'existing', ...stored } : stored
    return { savedAt, answers: fittingOf(version === VERSION ? given : withoutGuesses(given)) }
  } catch {
    return undefined
  }
}

/** Which provider a rail has is no secret. */
const isKept = (name: string): boolean => !isCredential(name) || isProviderField(name)

/**
 * Calls with the answers that another tab keeps, so that none of two tabs overwrites what the other knows. Credentials of
 * this tab stay. Returns how to stop.
 */
export function followDraft(change: (kept: Partial<Answers>) => void): () => void {
  const listener = ({ key }: StorageEvent) => {
    const answers = key === KEY ? readDraft()?.answers : undefined
    if (!answers) return
    change(Object.fromEntries(Object.entries(answers).filter(([name]) => isKept(name))) as Partial<Answers>)
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}

const SENT = 'windlass.sent'

/** `sentAs`: the application that the draft became, which this tab remembers. */
export function deleteDraft(sentAs?: string): void {
  try {
    localStorage.removeItem(KEY)
    if (sentAs) sessionStorage.setItem(SENT, sentAs)
  } catch {
    // Without storage there is no draft.
  }
}

/** The application that this tab sent last. */
export function lastSent(): string | null {
  try {
    return sessionStorage.getItem(SENT)
  } catch {
    return null
  }
}

/** `10.000` was ten thousand or ten: the field shows it and asks which. */
function withoutGuesses(stored: Record<string, unknown>): Record<string, unknown> {
  const unclear = amounts.filter(name => {
    const value = stored[name]
    return typeof value === 'string' && value !== '' && 'fault' in readNumber(value, '.', LEDGER_DECIMALS)
  })
  return { ...stored, ...Object.fromEntries(unclear.map(name => [name, unreadAmount(String(stored[name]))])) }
}

/** The answers that fit the questions of today, without credentials. */
export function fittingOf(stored: Record<string, unknown>): Answers {
  const entries = Object.entries(noAnswers).map(([name, initial]) => {
    const value = stored[name]
    const fits = Array.isArray(initial)
      ? Array.isArray(value) && value.every(item => typeof item === 'string')
      : typeof value === 'string'
    return [name, fits && isKept(name) ? value : initial]
  })
  return Object.fromEntries(entries) as Answers
}
