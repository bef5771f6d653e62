import { expect, it } from 'vitest'
import { refusedLines } from './lint-lines.ts'

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
  const others = { 'other.ts': "export const TAKEN_BACK = 'people took it back'\n" }
  const found = await refusedLines('compared-sentences/by-codes', [...refused, ...allowed], given, others)
  expect(found).toEqual(refused)
})
