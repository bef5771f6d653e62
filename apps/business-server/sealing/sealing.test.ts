import { createSealer } from '@windlass/service/seals/seal.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { addEndpoint } from '../outgoing/webhooks/endpoints.ts'
import { sealAgain } from './seal-again.ts'

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
  const keys = new Map([2, 1].map(version => [version, Buffer.alloc(32, version === 1 ? 7 : 9)]))
  const rotated = { ...app.deps, sealer: createSealer(keys), sealVersion: 2 }
  await sealAgain(app.deps)
  await wait('11 minutes')
  // Another key is as new as its first server.
  await sealAgain(rotated)
  expect(await keyOfSecret()).toBe(1)
  await wait('9 minutes')
  await sealAgain(rotated)
  expect(await keyOfSecret()).toBe(1)
  // While an older server runs beside it, neither does.
  await sealAgain(app.deps)
  await sealAgain(rotated)
  await wait('9 minutes')
  await sealAgain(rotated)
  expect(await keyOfSecret()).toBe(1)
  await wait('2 minutes')
  await sealAgain(rotated)
  expect(await keyOfSecret()).toBe(2)

  const anchor = { ...rotated.config.anchor, version: '0.2.0' }
  const upgraded: Deps = { ...rotated, config: { ...rotated.config, anchor } }
  await query("update webhook_endpoints set sealed_secret = null, secret = 'of an older release'")
  await sealAgain(upgraded)
  expect(await keyOfSecret()).toBeNull()
  await wait('11 minutes')
  await sealAgain(upgraded)
  expect(await keyOfSecret()).toBe(2)
})
