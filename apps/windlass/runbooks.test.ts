import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CHECKOUT } from './home.ts'
import { BACKUPS, SERVICES } from './services.ts'

const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const parts = [...SERVICES, BACKUPS]

/** What runbooks and guides tell people to type, with the page. */
const commands = globSync('{README.md,docs/**/*.md}', { cwd: CHECKOUT }).flatMap(page =>
  [
    ...readFileSync(join(CHECKOUT, page), 'utf8').matchAll(
      /npm run ([a-z][\w:-]*)(?: --)?(?: ([a-z][\w-]*))?/g,
    ),
  ].map(([text, script = '', word]) => ({ page, text, script, word })),
)

it('name commands that there are', () => {
  expect(commands.length).toBeGreaterThan(150)
  expect(commands.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([])
})

it('restart parts that can be restarted alone, and read logs that there are', () => {
  const asked = (name: string) => commands.filter(({ script, word }) => script === name && word !== undefined)
  const restartable = parts.filter(({ handsOver }) => handsOver).map(({ name }) => name)
  expect(asked('restart').length).toBeGreaterThan(2)
  expect(asked('restart').filter(({ word = '' }) => !restartable.includes(word))).toEqual([])
  // An anchor by its subdomain.
  const logs = ['postgres', 'lotus', ...parts.map(({ name }) => name)]
  expect(asked('logs').length).toBeGreaterThan(8)
  expect(asked('logs').filter(({ word = '' }) => !logs.includes(word))).toEqual([])
})
