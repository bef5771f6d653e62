import { untranslated } from '@windlass/ui/testing/languages.ts'
import { expect, test } from 'vitest'

test('every text of the console is translated', async () => {
  expect(await untranslated(import.meta.dirname)).toEqual([])
})
