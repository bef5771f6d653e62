import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { atSources } from './source-maps.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-maps-'))
const bundled = (name: string) => pathToFileURL(join(folder, name)).href
const map = { version: 3, file: 'sep.mjs', sources: ['../apps/login.ts'], names: [], mappings: ';AAEE' }
writeFileSync(join(folder, 'sep.mjs.map'), JSON.stringify(map))
writeFileSync(join(folder, 'business.mjs.map'), 'not a map')

describe('A stack trace of a bundled server', () => {
  it('names the source and its line', () => {
    const stack = `Error: no\n    at login (${bundled('sep.mjs')}:2:7)\n    at node:net:210:9`
    expect(atSources(stack, folder)).toBe(
      `Error: no\n    at login (${join(folder, '..', 'apps', 'login.ts')}:3:3)\n    at node:net:210:9`,
    )
  })

  it('stays as it is where there is no map, one that cannot be read, or a file elsewhere', () => {
    for (const name of ['libraries.mjs', 'business.mjs']) {
      const stack = `Error: no\n    at ${bundled(name)}:2:7`
      expect(atSources(stack, folder)).toBe(stack)
    }
    const elsewhere = `Error: ${bundled('sep.mjs')}:2:7`
    expect(atSources(elsewhere, join(folder, 'other'))).toBe(elsewhere)
  })
})
