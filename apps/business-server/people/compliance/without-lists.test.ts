import { Networks } from '@stellar/stellar-sdk/base'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { isHeldBack, releaseScreened } from '../../payments/hold-payments.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { unXml } from '../../testing/sanctions-lists.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'
import { loadList } from './lists.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

async function paid(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = {
    amount: money,
    text: reference,
    account: 'DE02120300000000202051',
    bankReference: randomUUID(),
  }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  return id
}

const list = () => {
  const bytes = Buffer.from(unXml([{ id: 1, name: 'Qadir Testov' }]))
  return { fileName: 'un.xml', bytes, smaller: false, by: 'operator:asha' }
}
async function withoutLists(): Promise<void> {
  await bank.rows('delete from sanctions_names')
  await bank.rows('delete from sanctions_lists')
}

const paymentOf = async (id: string) =>
  (await bank.rows('select state, wait_code from ledger_payments where transfer_id = $1', [id]))[0]
const metric = async () =>
  /^windlass_screening_without_list(?:\{[^}]*\})? (\d)/m.exec(
    (await bank.app.server.app.metrics.metrics()) ?? '',
  )?.[1]
const summary = async () => {
  const headers = { 'x-service-secret': bank.deps.config.secrets.summary }
  return (await bank.app.server.app.inject({ url: '/admin/summary', headers })).json<AnchorSummary>()
}
const isTold = async () =>
  (await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })).conditions.some(
    ({ subject }) => subject === 'sanctions-lists',
  )

it('payments on the public network wait for a list, which the team, the summary and the metrics say, and go on with one', async () => {
  const { network } = bank.deps.config.anchor
  const test = network.passphrase
  expect(await isTold()).toBe(false)
  const id = await paid()
  network.passphrase = Networks.PUBLIC
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual({ state: 'queued', wait_code: 'screening' })
  expect(await isTold()).toBe(true)
  expect((await summary()).withoutLists).toBe(true)
  expect(await metric()).toBe('1')
  // Nobody decides about it, and customers and other members see no reason.
  expect(await bank.rows('select id from screening_hits')).toEqual([])

  await loadList(bank.deps, list(), releaseScreened)
  expect(await isTold()).toBe(false)
  expect((await summary()).withoutLists).toBeUndefined()
  network.passphrase = test
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual({ state: 'paid', wait_code: null })
})

it('a payment that is judged while the first list is loaded is compared with it', async () => {
  await withoutLists()
  const { network } = bank.deps.config.anchor
  const test = network.passphrase
  const transfer_id = await paid()
  const [payment] = await bank.rows<{ id: string }>('select id from ledger_payments where transfer_id = $1', [
    transfer_id,
  ])
  const order = { id: payment?.id ?? '', transfer_id, goesBack: true }
  network.passphrase = Networks.PUBLIC
  let judged: Promise<boolean> | undefined
  await loadList(bank.deps, list(), async tx => {
    await releaseScreened(tx)
    judged = isHeldBack(bank.deps, 'ledger_payments', order)
    await Promise.race([judged, isLockAwaited()])
  })
  const isHeld = await judged
  network.passphrase = test
  expect(isHeld).toBe(false)
  expect(await paymentOf(transfer_id)).toEqual({ state: 'queued', wait_code: null })
})

async function isLockAwaited(): Promise<void> {
  for (;;) {
    const waiting = await bank.rows("select pid from pg_locks where locktype = 'advisory' and not granted")
    if (waiting.length > 0) return
    await setTimeout(10)
  }
}

it('what waited for a list is paid once the setting lets it pass', async () => {
  await withoutLists()
  const { network } = bank.deps.config.anchor
  const test = network.passphrase
  const id = await paid()
  network.passphrase = Networks.PUBLIC
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual({ state: 'queued', wait_code: 'screening' })
  // The server starts again with another setting. A test network pays without a list too.
  network.passphrase = test
  await bank.rows(
    "update ledger_payments set next_try_at = now() where next_try_at < now() + interval '90 seconds'",
  )
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual({ state: 'paid', wait_code: null })
})

it('payments pass without a list where the setting says so, and on test networks', async () => {
  await withoutLists()
  const { network } = bank.deps.config.anchor
  const test = network.passphrase
  const [passes, alsoPasses] = [await paid(), await paid()]
  network.passphrase = Networks.PUBLIC
  bank.deps.config.lists.without = 'pass'
  expect(await isTold()).toBe(false)
  network.passphrase = test
  await payQueued(bank.deps)
  for (const id of [passes, alsoPasses]) expect(await paymentOf(id)).toMatchObject({ state: 'paid' })
})
