import { generateKey } from '@windlass/stellar/keys.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asPlatform } from '../testing/as-platform.ts'
import type { BusinessApp } from '../testing/business-app.ts'
import { startWithInstantRail } from '../testing/instant-rail.ts'
import { bindHeldOfUpgrade } from './held-before.ts'
import { holdLedgerReceipt, holdRailReceipt } from './incidents.ts'
import { broughtUnits, type IncomingPayment } from './incoming-payment.ts'

let app: BusinessApp
beforeAll(async () => {
  ;({ app } = await startWithInstantRail())
})
afterAll(() => app.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const say = async (id: string, by: string, outcome: string) =>
  app.server.app.inject({
    method: 'POST',
    url: `/admin/ledger-incidents/${id}/resolve`,
    headers: asPlatform(app.deps.config.secrets),
    payload: { outcome, resolution: 'Looked it up.', by },
  })
const codeOf = async (...said: Parameters<typeof say>) => {
  const answer = await say(...said)
  return answer.statusCode === 200 ? 'done' : answer.json<{ code: string }>().code
}
const refundsTo = (destination: string) =>
  query<{ amount: string }>('select amount, memo_type from ledger_payments where destination = $1', [
    destination,
  ])
const upgrade = async (until: string) => {
  await query('alter table terms_binding disable trigger filled_once')
  await query(`insert into terms_binding values (now() + interval '${until}')`)
  await query('alter table terms_binding enable trigger filled_once')
}

const incoming = (over: Partial<IncomingPayment> = {}): IncomingPayment => {
  const sender = generateKey().publicKey
  return {
    ...{
      id: String(randomBytes(6).readUIntBE(0, 6)),
      hash: randomBytes(32).toString('hex'),
      closedAt: new Date(),
    },
    ...{
      sender,
      returnTo: sender,
      ...broughtUnits(parseAmount('30'), servedAsset(app.deps.config.anchor, null)),
    },
    ...{ memo: null, memoType: 'none', muxedId: null, ...over },
  }
}
const openOf = async (subject: string) => {
  const [row] = await query<{ id: string }>('select id from ledger_incidents where subject = $1', [subject])
  return row?.id ?? ''
}

/** As a server of the release before holds it: nothing is bound. */
async function heldBefore(payment = incoming(), receipt: Partial<Record<'sender' | 'amount', string>> = {}) {
  const { id, hash, sender, amount, memo, memoType } = payment
  await query(
    `insert into ledger_receipts (id, hash, operation, sender, amount, memo, memo_type, outcome, why)
     values ($1, $2, 1, $3, $4, $5, $6, 'held', 'x')`,
    [id, hash, receipt.sender ?? sender, receipt.amount ?? amount, memo, memoType],
  )
  const { db } = app.deps.database
  await db.transaction().execute(tx => holdLedgerReceipt(app.deps, tx, payment))
  const subject = `ledger:${hash}:${id}`
  await query('delete from bound_facts where id = $1', [subject])
  return openOf(subject)
}

describe('a payment that a server of another release held', () => {
  it('is decided by two people who say the same, and goes back to who paid', async () => {
    const payment = incoming({ muxedId: '7' })
    const id = await heldBefore(payment)
    expect(await codeOf(id, 'operator:asha', 'not-applied')).toBe('second-person-needed')
    expect(await codeOf(id, 'operator:asha', 'not-applied')).toBe('second-person-needed')
    expect(await codeOf(id, 'operator:mira', 'applied')).toBe('second-person-needed')
    expect(await codeOf(id, 'operator:asha', 'not-applied')).toBe('second-person-needed')
    expect(await refundsTo(payment.sender)).toEqual([])
    expect(await codeOf(id, 'operator:mira', 'not-applied')).toBe('done')
    expect(await refundsTo(payment.sender)).toEqual([{ amount: '30.0000000', memo_type: 'return' }])
    expect(await query("select from bound_facts where kind in ('held-receipt', 'said-of-held')")).toEqual([])
  })

  it('is decided by one person who is written as the first one, or after a change, only with another', async () => {
    const payment = incoming()
    const id = await heldBefore(payment)
    const set = 'update ledger_incidents set details = details || $2::jsonb where id = $1'
    await query(set, [id, JSON.stringify({ said: { by: 'operator:mira', outcome: 'not-applied' } })])
    expect(await codeOf(id, 'operator:asha', 'not-applied')).toBe('second-person-needed')
    await query(set, [id, JSON.stringify({ said: { by: 'operator:asha', outcome: 'applied' } })])
    expect(await codeOf(id, 'operator:mira', 'applied')).toBe('second-person-needed')
    expect(await codeOf(id, 'operator:asha', 'applied')).toBe('done')
    expect(await refundsTo(payment.sender)).toEqual([])
  })

  it.each([
    ['another amount', { amount: '3' }],
    ['another sender', { sender: generateKey().publicKey }],
  ])('cannot be decided where its receipt has %s', async (_, receipt) => {
    const id = await heldBefore(incoming(), receipt)
    for (const by of ['operator:asha', 'operator:mira'])
      expect(await codeOf(id, by, 'not-applied')).toBe('validation-failed')
  })

  it('goes to no other address than who paid has', async () => {
    const thief = generateKey().publicKey
    const id = await heldBefore(incoming({ returnTo: thief }))
    for (const by of ['operator:asha', 'operator:mira'])
      expect(await codeOf(id, by, 'not-applied')).toBe('validation-failed')
    expect(await refundsTo(thief)).toEqual([])
  })

  it('cannot be decided where what is kept of it is no payment', async () => {
    for (const record of ['', 'null', '{}', '{"ledger": {}}', '{"merges": 1}', '{"rail": {"amount": 1}}']) {
      const id = await heldBefore()
      await query('update ledger_incidents set record = $2 where id = $1', [id, Buffer.from(record)])
      expect([record, await codeOf(id, 'operator:asha', 'applied')]).toEqual([record, 'validation-failed'])
    }
  })

  it('over a rail too', async () => {
    const rail = { rail: 'UPI', paymentId: 'UTR1', reference: 'R', amount: '500', currency: 'INR' }
    await query(`insert into rail_receipts (rail, payment_id, reference, amount, currency, outcome, why, source)
      values ('UPI', 'UTR1', 'R', 500, 'INR', 'held', 'x', 'rail')`)
    const { db } = app.deps.database
    await db.transaction().execute(tx => holdRailReceipt(app.deps, tx, rail))
    await query("delete from bound_facts where kind = 'held-receipt'")
    const id = await openOf('rail:UPI:UTR1')
    expect(await codeOf(id, 'operator:asha', 'not-applied')).toBe('second-person-needed')
    expect(await codeOf(id, 'operator:mira', 'not-applied')).toBe('done')
    expect(await query("select kind from rail_orders where destination->>'paymentId' = 'UTR1'")).toEqual([
      { kind: 'return' },
    ])
  })

  it('is bound while an upgrade lasts, and before that ends', async () => {
    const [met, unmet, forged] = [
      await heldBefore(),
      await heldBefore(),
      await heldBefore(incoming(), { amount: '1' }),
    ]
    await upgrade('15 minutes')
    expect(await codeOf(met, 'operator:asha', 'applied')).toBe('done')
    await bindHeldOfUpgrade(app.deps)
    await query('delete from terms_binding')
    const later = await heldBefore()
    expect(await codeOf(unmet, 'operator:asha', 'applied')).toBe('done')
    expect(await codeOf(forged, 'operator:asha', 'applied')).toBe('validation-failed')
    expect(await codeOf(later, 'operator:asha', 'applied')).toBe('second-person-needed')
  })
})

it('an account that ends waits for no decision about others that ended, which waits for its transfer perhaps', async () => {
  const { db } = app.deps.database
  const merge = () =>
    db.transaction().execute(async tx => {
      await tx.executeQuery({ sql: "set local lock_timeout = '2s'", parameters: [] } as never)
      await holdLedgerReceipt(app.deps, tx, incoming({ by: 'merge' }))
    })
  for (let count = 0; count < 11; count++) await merge()
  const together = await query<{ id: string }>("select id from ledger_incidents where details ? 'payments'")
  expect(together).toHaveLength(1)
  await db.transaction().execute(async tx => {
    await tx
      .updateTable('ledger_incidents')
      .set({ attempts: 1 })
      .where('id', '=', together[0]?.id ?? '')
      .execute()
    await merge()
  })
  expect(await query("select from ledger_incidents where details->>'reason' = 'merged'")).toHaveLength(12)
})
