import { generateBoxKeys, sealFor } from '@windlass/service/seals/sealed-box.ts'
import { openExport } from '@windlass/service/seals/open-export.ts'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sealedColumns } from './sealed-columns.ts'
import { BankAnchor, camt053 } from './testing/bank-anchor.ts'

let anchor: BankAnchor
let folder = ''
const [founder, other] = [generateBoxKeys(), generateBoxKeys()]
beforeAll(async () => {
  anchor = await BankAnchor.start()
  folder = mkdtempSync(join(tmpdir(), 'export-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await anchor.close()
})

/** As the control plane writes a table: each value in Postgres' own text form. */
async function dump(table: string): Promise<void> {
  const columns = await anchor.rows<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = '${table}' and table_schema = current_schema()`,
  )
  const texts = columns.map(({ name }) => `"${name}"::text`)
  const rows = await anchor.rows(`select ${texts.join(', ')} from ${table}`)
  const lines = rows.map(row => `${JSON.stringify(row)}\n`)
  writeFileSync(join(folder, 'data', 'business', `${table}.ndjson`), lines.join(''))
}

it('a founder opens names, accounts and files in the export with the key that they kept, and nobody else does', async () => {
  const payout = await anchor.withdrawal('sepa', { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' })
  await anchor.sendOrders()
  const file = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:one' })).json()
  await anchor.read(
    'SEPA',
    'x.xml',
    camt053([{ amount: '7.00', text: 'Rent of Xaver', name: 'Xaver Huber' }]),
  )
  mkdirSync(join(folder, 'data', 'business'), { recursive: true })
  for (const table of new Set(sealedColumns.map(each => each.table))) await dump(table)
  const keyring = [...anchor.deps.config.detailsKeys].map(
    ([version, key]) => `v${version}:${key.toString('base64')}`,
  )
  const keys = JSON.stringify({ business: keyring.join(','), sep: null })
  writeFileSync(join(folder, 'keys.sealed'), sealFor(founder.publicKey, keys))
  for (const [name, { privateKey }] of Object.entries({ founder, other }))
    writeFileSync(join(folder, name), `${privateKey}\n`)

  const open = (name: string) => openExport(folder, join(folder, name), 'business', sealedColumns)
  await expect(open('other')).rejects.toThrow()
  const opened = await open('founder')
  expect(Object.values(opened).reduce((sum, { failed }) => sum + failed, 0)).toBe(0)
  const read = (table: string) => readFileSync(join(folder, 'opened', 'business', `${table}.ndjson`), 'utf8')
  expect(read('transfers')).toContain('DE02120300000000202051')
  expect(read('bank_lines')).toContain('Rent of Xaver')
  expect([read('payout_files').includes(file.code), read('payout_files').includes('Asha Rao')]).toEqual([
    true,
    true,
  ])
  expect(read('transfers')).toContain(payout.id)
  for (const table of ['transfers', 'bank_lines', 'payout_files'])
    expect(readFileSync(join(folder, 'data', 'business', `${table}.ndjson`), 'utf8')).not.toMatch(
      /Asha|Xaver/,
    )
})
