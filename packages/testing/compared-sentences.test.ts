import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const given = `import { TAKEN_BACK as BACK } from './other.ts'
const MARKED = 'an operator marked it as paid'
declare const why: string
declare const db: { where(...given: unknown[]): void; query(text: string): void }
declare function sql(parts: TemplateStringsArray, ...values: unknown[]): void
`

const refused = [
  `why === 'an operator marked it as paid'`,
  'why !== MARKED',
  'why === BACK',
  `why.endsWith(' more XLM')`,
  `why.startsWith('The travel rule asks')`,
  '/no rate/.test(why)',
  `db.where('why', '=', MARKED)`,
  "db.query(`select 1 from receipts where why = 'An operator must decide.'`)",
  `db.query("select 1 from receipts where why like '% asks for more%'")`,
  'sql`select 1 from receipts where why in (${MARKED})`',
]
const allowed = [
  `why === 'marked-as-paid'`,
  `why === 'Generating Stellar keys'`,
  `why.startsWith('Basic ')`,
  `db.where('kind', '=', 'held-receipt')`,
  "sql`select 1 from receipts where source = 'operator' and id in (${why})`",
  '`${MARKED}: ${why}`',
]

it('refuses to compare a sentence, by its words or its name, in TypeScript and in SQL', async () => {
  const lines = [...refused, ...allowed]
  const code = given + lines.map((line, index) => `export const at${index} = ${line}\n`).join('')
  const found = await lint(code)
  expect(found.map(line => lines[line - FIRST])).toEqual(refused)
})

const FIRST = given.split('\n').length
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The lines that are refused. */
async function lint(code: string): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const rules = { 'compared-sentences/by-codes': 'error' }
  const config = { categories: { correctness: 'off' }, jsPlugins: [at('compared-sentences.mjs')], rules }
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'other.ts'), "export const TAKEN_BACK = 'people took it back'\n")
  writeFileSync(join(folder, 'a.ts'), code)
  const oxlint = at('../../node_modules/oxlint/bin/oxlint')
  const { promise, resolve } = Promise.withResolvers<string>()
  const given = [oxlint, '--format', 'json', 'a.ts']
  execFile(process.execPath, given, { cwd: folder }, (_error, stdout) => resolve(stdout))
  const { diagnostics } = JSON.parse(await promise) as { diagnostics: Diagnostic[] }
  return diagnostics.flatMap(({ labels }) => labels.map(({ span }) => span.line)).toSorted((a, b) => a - b)
}

interface Diagnostic {
  labels: { span: { line: number } }[]
}
