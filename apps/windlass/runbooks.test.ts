import { execFileSync } from 'node:child_process'
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
      /npm run ([a-z][\w:-]*)(?: --)?(?: ([a-z][\w-]*))?([^`\n#]*)/g,
    ),
  ].map(([text, script = '', word, rest = '']) => ({ page, text, script, word, rest })),
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

it('give commands only flags that their help explains', () => {
  const helps = new Map<string, string>()
  const helpOf = (script: string) => {
    const known = helps.get(script)
    if (known !== undefined) return known
    const [program = '', ...args] = /^node (boot\.mjs .+)$/.exec(scripts[script] ?? '')?.[1]?.split(' ') ?? []
    const text = execFileSync(process.execPath, [program, ...args, '--help'], {
      cwd: CHECKOUT,
      encoding: 'utf8',
    })
    helps.set(script, text)
    return text
  }
  // Those of tests and of git are other programs'.
  const ours = commands.filter(({ script }) => !/^(test|check|change|api)/.test(script))
  const flags = ours.flatMap(({ page, script, rest }) =>
    [...rest.matchAll(/(?<=\s)--(?!help)[a-z][\w-]*/g)].map(([flag]) => ({ page, script, flag })),
  )
  expect(flags.length).toBeGreaterThan(30)
  expect(flags.filter(({ script, flag }) => !helpOf(script).includes(flag))).toEqual([])
})
