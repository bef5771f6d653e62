import type { Recording } from './recording.ts'

/** What differs, once each kind. */
export interface Difference {
  /** Where: a part of a step, or a question, and the path within. */
  path: string
  recorded: string
  here: string
  /** The first step or question. */
  example: string
  count: number
}

interface Comparison {
  asked: number
  /** Answers of the same shape and values. */
  equal: number
  differences: Difference[]
}

const NUMBERS =
  /^(ledger|.*_ledger|sequence|sequence_ledger|num_accounts|timestamp|trade_count|latest-ledger|paging_token|id|sequence_time)$/

/** What differs by nature (hashes, ledgers' numbers, times, XDR), by its form only. */
function shape(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(each => shape(each, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => key !== 'headers' || SHAPED_HEADERS.includes(name))
        .map(([name, each]) => [name, shape(each, name)]),
    )
  if (NUMBERS.test(key) && /^\d+$/.test(String(value)))
    return typeof value === 'number' ? '#number' : '#digits'
  if (typeof value === 'number') return value > 50 ? '#number' : value
  if (typeof value !== 'string') return value
  if (/^\d{4}-\d\d-\d\dT[\d:]+(\.\d+)?Z$/.test(value))
    return value.includes('.') ? '#time with fraction' : '#time'
  if (/^[A-Za-z0-9+/]{60,}=*$/.test(value) && !/^[GM][A-Z2-7]{50,}$/.test(value)) return '#base64'
  return value
    .replaceAll(/[0-9a-f]{64,72}/gi, '#hex')
    .replaceAll(/\d{9,}/g, '#id')
    .replaceAll(/\/(ledgers|offers)\/\d+/g, '/$1/#')
}

const SHAPED_HEADERS = ['content-type', 'latest-ledger', 'location', 'allow']

/** Compares the answers of two networks to the same history. */
export function compareRecordings(recorded: Recording, here: Recording): Comparison {
  const found = new Map<string, Difference>()
  let [asked, equal] = [0, 0]
  let isEqual = true
  const note = (path: string, ours: unknown, theirs: unknown, example: string): void => {
    isEqual = false
    const difference = { path, recorded: text(ours), here: text(theirs) }
    const key = Object.values(difference).join(' | ')
    const before = found.get(key)
    if (before) before.count++
    else found.set(key, { ...difference, example, count: 1 })
  }
  const walk = (one: unknown, other: unknown, path: string, example: string): void => {
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) note(`${path}.length`, one.length, other.length, example)
      for (let index = 0; index < Math.min(one.length, other.length); index++)
        walk(one[index], other[index], `${path}[]`, example)
    } else if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        walk(one[key], other[key], `${path}.${key}`, example)
    } else if (one !== other) note(path, one, other, example)
  }
  const part = (one: unknown, other: unknown, path: string, example: string): void => {
    ;[asked, isEqual] = [asked + 1, true]
    walk(shape(one), shape(other), path, example)
    if (isEqual) equal++
  }
  for (const [index, step] of recorded.steps.entries()) {
    const twin = here.steps[index]
    const [one, other] = [step, twin].map(each => ({
      ...{ status: each?.status, result: each?.body?.extras?.result_codes },
    }))
    part(one, other, 'submit', step.name)
    for (const kind of ['transaction', 'operations', 'effects'] as const)
      part(step[kind], twin?.[kind], kind, step.name)
  }
  for (const [question, answer] of Object.entries(recorded.answers)) {
    const path = (question.split('?')[0] ?? '')
      .replace(/G[A-Z2-7]{55}/, ':account')
      .replace(/[0-9a-f]{64}/i, ':id')
    part(answer, here.answers[question], path, question)
  }
  return { asked, equal, differences: [...found.values()] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const text = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 150)
