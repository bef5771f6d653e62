import { Keypair } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordEntry } from '../journal/journal.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

let app: BusinessApp
let signatures = 0
const clock = fakeClock()
const key = Keypair.random()
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  const signStatement = async (message: string) => {
    signatures++
    return Buffer.from(key.signMessage(message))
  }
  app = await startBusinessApp({ horizon: ledger, clock, signStatement })
  const lines = [
    ['issued', 'asset', -parseAmount('1000100')],
    ['treasury', 'asset', parseAmount('1000000')],
    ['cold', 'asset', parseAmount('60')],
    ['lost', 'asset', parseAmount('55')],
    ['customers', 'asset', -parseAmount('10')],
    ['suspense', 'asset', -parseAmount('5')],
    ['rail:UPI', 'INR', parseAmount('900')],
    ['exchange', 'INR', -parseAmount('880')],
    ['suspense', 'INR', -parseAmount('20')],
  ] as const
  const { db } = app.deps.database
  await db.transaction().execute(tx => recordEntry(tx, { cause: 'all', kind: 'test', lines }))
})
afterAll(() => app.close())

const read = () => app.server.app.inject({ url: '/api/v1/reserves' })

it('anyone can read what the anchor owes and holds, and verify its signature by SEP-53', async () => {
  const { reserves, message, signature } = (await read()).json()
  expect(JSON.parse(message)).toEqual(reserves)
  expect(key.verifyMessage(message, Buffer.from(signature, 'base64'))).toBe(true)
  expect(key.verifyMessage(message.replace('900', '901'), Buffer.from(signature, 'base64'))).toBe(false)
  expect(reserves).toMatchObject({
    ...{ type: 'windlass-reserves-1', homeDomain: 'mumbai.anchors.localhost' },
    units: { issued: '1000100', held: '1000000', cold: '60', circulating: '40', owed: '15' },
    money: [
      { rail: 'UPI', currency: 'INR', held: '900', simulated: true },
      { rail: 'SEPA', currency: 'EUR', held: '0', simulated: true },
    ],
    owedMoney: [{ currency: 'INR', amount: '20' }],
  })
})

it('it is made at most once a minute, and again after the ledger did not answer', async () => {
  const before = signatures
  await Promise.all([read(), read(), read()])
  expect(signatures).toBe(before)
  clock.advance(61_000)
  const { routineHorizon: there } = app.deps
  const head = async () => {
    throw new LedgerError('ledger-unavailable', 'Horizon does not answer.')
  }
  app.deps.routineHorizon = Object.assign(Object.create(there) as Horizon, { head })
  expect((await read()).statusCode).toBe(503)
  app.deps.routineHorizon = there
  expect((await read()).statusCode).toBe(200)
  expect(signatures).toBe(before + 1)
})

it('people read it on a page, with how to verify it', async () => {
  const page = await app.server.app.inject({ url: '/interactive/reserves' })
  expect(page.statusCode).toBe(200)
  for (const text of ['Reserves', '1000000 MUMBAI', '900 INR', 'SEP-53']) expect(page.body).toContain(text)
})
