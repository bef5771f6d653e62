import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errorsIn, noAnswers } from './answers.ts'
import { readDraft, saveDraft } from './draft.ts'

const kept = new Map<string, string>()
beforeEach(() => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})
afterEach(() => {
  kept.clear()
  vi.unstubAllGlobals()
})

const MAX = 'paymentRails.limits.max'
const keepOld = (max: string) =>
  kept.set(
    'windlass.application-draft',
    JSON.stringify({ savedAt: '2026-11-20T10:00:00Z', answers: { ...noAnswers, [MAX]: max } }),
  )

// The form made `10.000` of `10,000`, and the platform read that as 10.
test('a draft that was kept with a number of two meanings asks which it was', () => {
  keepOld('10.000')
  const answers = readDraft()?.answers ?? noAnswers
  expect(answers[MAX]).not.toBe('10.000')
  expect(errorsIn(answers)[MAX]).toContain('can be read in two ways. Write 10 or 10000.')
  // It is kept as that, also where the draft is stored again.
  saveDraft(answers)
  expect(errorsIn(readDraft()?.answers ?? noAnswers)[MAX]).toContain('two ways')
})

test('other numbers of an older draft are as they were', () => {
  for (const max of ['10', '10000', '0.5', '1000.125', '']) {
    keepOld(max)
    expect(readDraft()?.answers[MAX]).toBe(max)
  }
  keepOld('1.5.5')
  expect(errorsIn(readDraft()?.answers ?? noAnswers)[MAX]).toContain('Enter a number such as')
})

test('a draft of today keeps what was understood, also three decimals', () => {
  saveDraft({ ...noAnswers, [MAX]: '1.234' })
  expect(readDraft()?.answers[MAX]).toBe('1.234')
})

test('a draft keeps the provider of a rail, and none of its credentials', () => {
  saveDraft({
    ...noAnswers,
    'paymentRails.credentials.SEPA.provider': 'bank-file',
    'paymentRails.credentials.SEPA.iban': 'DE89370400440532013000',
  })
  expect([...kept.values()].join('')).not.toContain('DE8937')
  expect(readDraft()?.answers['paymentRails.credentials.SEPA.provider']).toBe('bank-file')
  expect(readDraft()?.answers['paymentRails.credentials.SEPA.iban']).toBe('')
})
