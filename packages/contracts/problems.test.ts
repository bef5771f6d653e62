import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { problems } from './problems.ts'

const folder = new URL('../../docs/problems/', import.meta.url)
const pages = readdirSync(folder).map(file => file.replace(/\.md$/, ''))

describe('the pages of problems', () => {
  it('are one for each code, and no more', () => {
    expect(pages.sort()).toEqual(Object.keys(problems).sort())
  })

  it.each(Object.entries(problems))(
    'tell the title, status and code of %s, and what to do',
    (code, problem) => {
      const text = readFileSync(new URL(`${code}.md`, folder), 'utf8')
      expect(text).toContain(`# ${problem.title}\n`)
      expect(text).toContain(`\`${code}\`, HTTP ${problem.status}`)
      expect(text).toContain('## What to do')
    },
  )
})
