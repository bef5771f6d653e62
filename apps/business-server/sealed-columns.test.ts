import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Deps } from './deps.ts'
import { forgetNames, openName, recordName, sealedScreenedNames } from './people/compliance/screened-names.ts'
import { rotate, withNewerKey } from './testing/newer-key.ts'
import { type BusinessApp, startBusinessApp } from './testing/business-app.ts'
import { addEndpoint } from './outgoing/webhooks/endpoints.ts'
import { sealWhenKeysChange } from './sealed-columns.ts'

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
})
afterAll(() => app.close())

const query = async <Row extends object>(text: string) => (await app.deps.database.pool.query<Row>(text)).rows
const keyOfSecret = async () =>
  (await query<{ key: number }>('select get_byte(sealed_secret, 0) as key from webhook_endpoints'))[0]?.key
const wait = (time: string) =>
  query(`update sealing set since = since - interval '${time}', done_at = done_at - interval '${time}'`)

it('encrypts again once a key or a release is ten minutes old, whatever was stopped in between', async () => {
  await addEndpoint(app.deps, 'https://hooks.example/in', ['*'], false)
  const { rotating: rotated } = withNewerKey(app.deps)
  await sealWhenKeysChange(app.deps)
  await wait('11 minutes')
  // Another key is as new as its first server.
  await sealWhenKeysChange(rotated)
  expect(await keyOfSecret()).toBe(1)
  await wait('9 minutes')
  await sealWhenKeysChange(rotated)
  expect(await keyOfSecret()).toBe(1)
  // While an older server runs beside it, neither does.
  await sealWhenKeysChange(app.deps)
  await sealWhenKeysChange(rotated)
  await wait('9 minutes')
  await sealWhenKeysChange(rotated)
  expect(await keyOfSecret()).toBe(1)
  await wait('2 minutes')
  await sealWhenKeysChange(rotated)
  expect(await keyOfSecret()).toBe(200)

  const anchor = { ...rotated.config.anchor, version: '0.2.0' }
  const upgraded: Deps = { ...rotated, config: { ...rotated.config, anchor } }
  await query("update webhook_endpoints set sealed_secret = null, secret = 'of an older release'")
  await sealWhenKeysChange(upgraded)
  expect(await keyOfSecret()).toBeNull()
  await wait('11 minutes')
  await sealWhenKeysChange(upgraded)
  expect(await keyOfSecret()).toBe(200)
})

it('a name that is kept as evidence while keys change can be read afterwards', async () => {
  const { rotating, newOnly } = withNewerKey(app.deps)
  const { db, pool } = app.deps.database
  const customer = { id: randomUUID(), account: 'GACCOUNT', memo: null }
  const subject = { kind: 'customer', id: customer.id } as const
  await recordName(db, app.deps.sealer, { subject, role: 'customer', name: 'Kadir Testow' })
  const [row] = await query<{ id: string }>('select id from screened_names')
  await query(`with list as (
      insert into sanctions_lists (source, list_id, format, file_name, digest, entries, names, by)
      values ('OFAC', 'ofac-sdn', 'ofac-xml', 'list.xml', '', 1, 1, 'operator:1') returning version)
    insert into screening_hits (name_id, list, source, entry_id, entry_name, detail, score)
      select '${row?.id}', version, 'OFAC', '1', 'Kadir Testow', '', 1 from list`)
  // The customer is deleted after the rotation has read the name, and before it writes it.
  const during = {
    query: async (text: string, values: unknown[]) => {
      if (text.startsWith('update'))
        await db.transaction().execute(tx => forgetNames(tx, rotating.sealer, customer))
      return pool.query(text, values)
    },
  } as unknown as typeof pool
  const database = { ...rotating.database, pool: during }
  expect(await rotate({ ...rotating, database }, sealedScreenedNames)).toBe(0)
  const [kept] = await db.selectFrom('screened_names').selectAll().execute()
  expect(kept?.subject_id).toBe('wallet GACCOUNT')
  expect(kept && openName(newOnly.sealer, kept)).toBe('Kadir Testow')
})
