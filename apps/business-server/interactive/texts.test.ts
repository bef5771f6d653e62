import { describe, expect, it } from 'vitest'
import { side, textsFor } from './texts.ts'
import type { TransferState } from '../tables.ts'
import { steps } from '../transfers/status.ts'

const languages = ['en', 'es']

describe('the texts of the pages', () => {
  it.each([
    [null, 'en'],
    ['en', 'en'],
    ['es', 'es'],
    ['es-MX', 'es'],
    ['ES_ar', 'es'],
    ['est', 'en'],
    ['fr-FR', 'en'],
    ['', 'en'],
  ])('for %s are in %s', (lang, expected) => {
    expect(textsFor(lang).lang).toBe(expected)
  })

  it.each(languages)('describe in %s every state of a deposit and a withdrawal', lang => {
    const t = textsFor(lang)
    for (const direction of ['deposit', 'withdrawal'] as const) {
      const reached = steps.filter(step => step.direction === 'both' || step.direction === direction)
      const states = new Set<TransferState>(reached.map(({ to }) => to))
      for (const state of states) {
        expect(side(t.headlines[state], direction), `${direction} ${state}`).not.toBe('')
        expect(side(t.passed[state], direction), `${direction} ${state}`).not.toBe('')
      }
    }
  })

  it('are two in each place, one in each language', () => {
    const untranslated = (one: object, other: object): string[] =>
      Object.entries(one).flatMap(([name, text]: [string, unknown]) => {
        const translated = (other as Record<string, unknown>)[name]
        if (typeof text === 'object') return untranslated(text!, translated as object)
        return text !== '' && String(text) === String(translated) ? [name] : []
      })
    const { words: _, ...english } = textsFor('en')
    // “Memo (ID)” is the ledger's own word.
    expect(untranslated(english, textsFor('es'))).toEqual(['memo'])
  })
})
