import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, type MockInstance } from 'vitest'
import { sendOrders } from '../payments/rail-orders.ts'
import { settleOrder } from '../payments/settle-order.ts'
import type { Rail } from '../rails/rail.ts'
import type { RailOrder, Transfer } from '../tables.ts'
import { asPlatform } from '../testing/as-platform.ts'
import type { BusinessApp } from '../testing/business-app.ts'
import { startWithInstantRail } from '../testing/instant-rail.ts'
import { rotate, withNewerKey } from '../testing/newer-key.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { acceptTransaction } from './accept.ts'
import { areTermsBound, bindListedTerms, bindTermsAgain, bindTermsOfUpgrade } from './bound-terms.ts'
import { confirm } from './confirm.ts'
import { sealDestination, sealedDestinations } from './destination.ts'
import { findTransfer } from './find.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'

let app: BusinessApp
let pay: MockInstance<Rail['pay']>
beforeAll(async () => {
  ;({ app, pay } = await startWithInstantRail())
})
afterAll(() => app.close())
beforeEach(() => void pay.mockClear())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const isBound = (id: string) => areTermsBound(app.deps, app.deps.database.db, id)
const stateOf = async (id: string) => (await findTransfer(app.deps.database.db, id))?.state

const reported = (account: string, over: Partial<PlatformTransaction> = {}): PlatformTransaction =>
  reportedBy(account, { kind: 'withdrawal', type: 'upi', fields: { dest: 'asha@okbank' }, ...over })

async function agreed(over: Partial<PlatformTransaction> = {}): Promise<Transfer> {
  const { id } = await acceptTransaction(app.deps, reported(generateKey().publicKey, over))
  return confirm(app.deps, id)
}

/** Its units come, and what is ordered for them is handed to its rail. */
async function come(transfer: Transfer, amount = transfer.amount): Promise<void> {
  await receiveUnits(app.deps, { ...transfer, amount })
  await sendOrders(app.deps)
}

const orderOf = async (id: string) =>
  (
    await query<RailOrder>('select * from rail_orders where transfer_id = $1 order by created_at desc', [id])
  )[0]
const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
  app.server.app.inject({
    ...{ method, url, headers: asPlatform(app.deps.config.secrets) },
    ...(payload ? { payload } : {}),
  })
const act = (id: string, kind: string, over: object = {}) =>
  call('POST', `/admin/transactions/${id}/actions`, { kind, reason: 'x', by: 'operator:asha', ...over })
const approve = (id: string, by = 'operator:mira') =>
  call('POST', `/admin/operator-actions/${id}/decision`, { approve: true, by })
const reject = (id: string) =>
  call('POST', `/admin/operator-actions/${id}/decision`, { approve: false, by: 'operator:mira' })
const refund = async (id: string) => approve((await act(id, 'refund')).json<OperatorAction>().id)
const transaction = async (id: string) =>
  (await call('GET', `/api/v1/transactions/${id}`)).json<{ possibleActions: string[] }>()
const alerts = async () => {
  const { conditions } = await evaluateConditions(app.deps, { conditions: [], differences: new Map() })
  return conditions.filter(({ subject }) => subject === 'unbound-orders').length
}

/** The accounts that its rail was asked to pay it to. A rail is asked again about what it has. */
const paidTo = (id: string) => {
  const asked = pay.mock.calls.filter(([{ reference }]) => reference === id)
  return [...new Set(asked.map(([{ destination }]) => destination.dest))]
}
const MALLORY = { dest: 'mallory@okbank' }
const expectUnpaid = async (id: string) => {
  expect(await orderOf(id)).toMatchObject({ state: 'queued', wait_code: 'unbound', handed: false })
  expect(paidTo(id)).toEqual([])
  expect([await stateOf(id), await alerts()]).toEqual(['funded', 1])
}

describe('a login to the database alone, before the payment comes,', () => {
  it.each([
    ['raises what a withdrawal pays out', "fiat_amount = '9000000', priced_at_arrival = false"],
    [
      'pays another account, in plain text',
      `sealed_destination = null, destination = '${JSON.stringify(MALLORY)}'`,
    ],
    ['pays over another rail', "rail = 'SEPA'"],
    ['has other terms when the payment arrives', `terms = terms || '{"spread": "0.001"}'::jsonb`],
    ['holds a rate that was to be that of the arrival', 'priced_at_arrival = not priced_at_arrival'],
    ['takes the proof away too', "fiat_amount = '9000000', bound = null"],
    [
      'takes the proof of another one',
      'bound = (select bound from transfers where id <> $1 and bound is not null limit 1)',
    ],
  ])('%s: no money leaves', async (_, set) => {
    await agreed()
    const own = await agreed()
    await query(`update transfers set ${set} where id = $1`, [own.id])
    await come(own)
    await expectUnpaid(own.id)
    await query('update rail_orders set wait_code = null, next_try_at = now() where transfer_id = $1', [
      own.id,
    ])
    await sendOrders(app.deps)
    await expectUnpaid(own.id)
    await refund(own.id)
  })

  it('gives its own withdrawal the memo of a stranger’s payment: no money leaves', async () => {
    const [theirs, own] = [await agreed(), await agreed({ fields: MALLORY })]
    await query("update transfers set ledger_memo = '1' where id = $1", [theirs.id])
    await query('update transfers set ledger_memo = $2 where id = $1', [own.id, theirs.ledger_memo])
    await come(theirs)
    expect(await orderOf(theirs.id)).toBeUndefined()
    await expectUnpaid(own.id)
    await refund(own.id)
  })

  it('writes a withdrawal that nobody agreed: no money leaves', async () => {
    const { id: like } = await agreed()
    const id = randomUUID()
    await query(
      `insert into transfers select (jsonb_populate_record(t, jsonb_build_object('id', $2::text, 'ledger_memo', '77',
         'fiat_amount', 9000000, 'sealed_destination', null, 'destination', $3::jsonb))).* from transfers t where id = $1`,
      [like, id, JSON.stringify(MALLORY)],
    )
    const own = await findTransfer(app.deps.database.db, id)
    if (own) await come(own)
    await expectUnpaid(id)
    await refund(id)
  })
})

describe('a login to the database alone, before anything is agreed,', () => {
  const quoted = async (account: string) => {
    const { issuer } = app.deps.config.anchor.accounts
    const sell = {
      type: 'firm',
      sell_asset: `stellar:MUMBAI:${issuer}`,
      sell_amount: '20',
      client_id: account,
    }
    const answer = await app.server.app.inject({
      url: `/rate?${new URLSearchParams({ ...sell, buy_asset: 'iso4217:INR' })}`,
      headers: { 'x-api-key': app.deps.config.secrets.link },
    })
    return answer.json<{ rate: { id: string } }>().rate.id
  }
  const begun = async (quote_id?: string, account = generateKey().publicKey) => {
    const { id } = await acceptTransaction(app.deps, reported(account, quote_id ? { quote_id } : {}))
    return id
  }

  it('raises what its firm quote pays, or gives it another one’s proof: it counts as expired', async () => {
    const account = generateKey().publicKey
    const [first, second, copied] = [await quoted(account), await quoted(account), await quoted(account)]
    const own = await begun(first, account)
    await query("update firm_rates set fiat_amount = '9000000' where id = $1", [first])
    await expect(confirm(app.deps, own)).rejects.toThrow('the quote has expired')
    await query(
      'update firm_rates f set bound = o.bound, fiat_amount = 1800 from firm_rates o where f.id = $1 and o.id = $2',
      [copied, second],
    )
    const other = await begun(copied, account)
    await expect(confirm(app.deps, other)).rejects.toThrow('the quote has expired')
    expect([await stateOf(own), await stateOf(other)]).toEqual(['new', 'new'])
    const { id, fiat_amount } = await confirm(app.deps, await begun(second, account))
    expect([fiat_amount, await isBound(id)]).toEqual(['1716.9000000', true])
  })

  it.each([
    ['has a fee paid to it', `terms = jsonb_set(terms, '{fee,fixed}', '"-9000"')`, 'must not be negative'],
    ['has a share of the rate paid to it', `terms = terms || '{"spread": "-5"}'`, 'non-negative'],
    ['has more units of a currency paid than its rail moves', `currency = 'USD'`, 'UPI does not pay USD'],
  ])('%s: nothing is agreed', async (_, set, why) => {
    const id = await begun()
    await query(`update transfers set ${set} where id = $1`, [id])
    await expect(confirm(app.deps, id)).rejects.toThrow(why)
    expect(await stateOf(id)).toBe('new')
  })
})

describe('what nobody else changed', () => {
  it('is paid, also where the payment is near what was asked for', async () => {
    const [exact, near] = [await agreed(), await agreed()]
    await come(exact)
    await come(near, '19')
    for (const { id } of [exact, near]) {
      expect(paidTo(id)).toEqual(['asha@okbank'])
      expect(await orderOf(id)).toMatchObject({ state: 'sent', wait_code: null })
      expect(await isBound(id)).toBe(true)
    }
  })

  it('is paid after everything else of it changed: its customer, its receiver, its message and its end', async () => {
    const own = await agreed()
    await query(
      `update transfers set customer_id = null, receiver_id = null, message = 'x', notice = null, person = null, lang = 'es',
         client_domain = null, origin = null, expires_at = expires_at + interval '1 minute',
         updated_at = now() where id = $1`,
      [own.id],
    )
    await come(own)
    expect(await orderOf(own.id)).toMatchObject({ state: 'sent', wait_code: null })
  })

  it('is paid again after it came back, also to another account that two people agreed on', async () => {
    for (const account of [undefined, { dest: 'asha@otherbank' }]) {
      const { id } = await sentBack()
      const asked = (await act(id, 'pay-again', account ? { account } : {})).json<OperatorAction>()
      expect(asked.status).toBe(account ? 'waiting' : 'done')
      if (account) await approve(asked.id)
      await sendOrders(app.deps)
      expect(paidTo(id)).toEqual([account?.dest ?? 'asha@okbank'])
      expect(await isBound(id)).toBe(true)
    }
  })
})

async function sentBack(): Promise<Transfer> {
  const own = await agreed()
  await come(own)
  const orderId = (await orderOf(own.id))?.id ?? ''
  await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: 'UTR1' })
  await settleOrder(app.deps, { kind: 'failed', orderId, reason: 'closed' })
  pay.mockClear()
  return own
}

describe('what this server did not agree', () => {
  const unbound = async () => {
    const own = await agreed()
    await query('update transfers set bound = null where id = $1', [own.id])
    await come(own)
    return own
  }

  it('waits with its reason, and two people pay it as they saw it', async () => {
    const { id } = await unbound()
    await expectUnpaid(id)
    expect((await transaction(id)).possibleActions).toEqual(['resend', 'refund'])
    const asked = (await act(id, 'resend')).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: 'asha@okbank' } })
    expect((await approve(asked.id, 'operator:asha')).json()).toMatchObject({ code: 'second-person-needed' })
    expect((await approve(asked.id)).json()).toMatchObject({ status: 'done' })
    await sendOrders(app.deps)
    expect(await orderOf(id)).toMatchObject({ state: 'sent', wait_code: null })
    expect([await isBound(id), await alerts()]).toEqual([true, 0])
  })

  it('is not paid where it was changed since the first one saw it', async () => {
    const { id } = await unbound()
    const asked = (await act(id, 'resend')).json<OperatorAction>()
    const mallory = sealDestination(app.deps.sealer, id, MALLORY)
    await query('update transfers set sealed_destination = $2 where id = $1', [id, mallory])
    expect((await approve(asked.id)).json()).toMatchObject({ code: 'action-not-possible' })
    await expectUnpaid(id)
    await query("update operator_actions set details = '{}' where id = $1", [asked.id]).catch(() => undefined)
    await approve(asked.id)
    await sendOrders(app.deps)
    await expectUnpaid(id)
    await reject(asked.id)
    await refund(id)
  })

  it('is not paid by two people where the order is another one: it is refunded', async () => {
    const own = await agreed()
    const pays = 'update transfers set fiat_amount = $2, priced_at_arrival = $3 where id = $1'
    await query(pays, [own.id, '9000000', false])
    await come(own)
    await query(pays, [own.id, own.fiat_amount, true])
    const asked = (await act(own.id, 'resend')).json<OperatorAction>()
    expect((await approve(asked.id)).json()).toMatchObject({ code: 'action-not-possible' })
    await expectUnpaid(own.id)
    await reject(asked.id)
    const asking = (await act(own.id, 'refund')).json<OperatorAction>()
    expect([asking.status, await stateOf(own.id)]).toEqual(['waiting', 'funded'])
    expect((await approve(asking.id)).json()).toMatchObject({ status: 'done' })
    expect(await stateOf(own.id)).toBe('returning')
    expect(
      await query('select purpose, amount, destination from ledger_payments where transfer_id = $1', [
        own.id,
      ]),
    ).toEqual([{ purpose: 'refund', amount: own.amount, destination: own.stellar_account }])
  })

  it('is paid again by two people alone, to the account that the second one sees', async () => {
    const { id } = await sentBack()
    await query('update transfers set bound = null where id = $1', [id])
    const asked = (await act(id, 'pay-again')).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: 'asha@okbank' } })
    await approve(asked.id)
    await sendOrders(app.deps)
    expect(paidTo(id)).toEqual(['asha@okbank'])
    expect(await isBound(id)).toBe(true)
  })

  it('leaves the payout that its server ordered alone when someone writes another one', async () => {
    const own = await agreed()
    await come(own)
    await query(
      `insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination, wait_code)
       select gen_random_uuid(), 'x:' || cause, transfer_id, kind, rail, amount, currency, destination, 'unbound'
       from rail_orders where transfer_id = $1`,
      [own.id],
    )
    expect((await transaction(own.id)).possibleActions).not.toContain('refund')
    await query("delete from rail_orders where cause like 'x:%'")
  })
})

it('any change of what was agreed ends the proof, and putting it back brings it again', async () => {
  const { id } = await agreed()
  const [row] = await query<Record<string, unknown>>('select * from transfers where id = $1', [id])
  const set = (column: string, value: unknown) =>
    query(`update transfers set ${column} = $2 where id = $1`, [id, value])
  const amount = fc.integer({ min: 1, max: 1e9 }).map(cents => (cents / 100).toFixed(7))
  const text = fc.stringMatching(/^[a-z0-9]{1,20}$/)
  const one = fc.oneof(
    fc.tuple(fc.constantFrom('amount', 'fee', 'fiat_amount'), amount),
    fc.tuple(fc.constantFrom('rail', 'currency', 'account', 'account_memo', 'refund_memo'), text),
    fc.tuple(fc.constant('ledger_memo'), fc.stringMatching(/^[1-9]{9,12}$/)),
    fc.tuple(fc.constant('priced_at_arrival'), fc.boolean()),
    fc.tuple(
      fc.constant('terms'),
      text.map(value => JSON.stringify({ value })),
    ),
  )
  await fc.assert(
    fc.asyncProperty(one, async ([column, value]) => {
      const was = row?.[column]
      const isSame = was === value || (/amount|fee/.test(column) && Number(was) === Number(value))
      await set(column, value)
      expect([column, await isBound(id)]).toEqual([column, isSame])
      await set(column, was && typeof was === 'object' ? JSON.stringify(was) : was)
      expect([column, await isBound(id)]).toEqual([column, true])
    }),
    { numRuns: 60 },
  )
})

describe('what earlier releases agreed', () => {
  const list = async (table: string, values: string) => {
    await query(`alter table ${table} disable trigger filled_once`)
    await query(`insert into ${table} values (${values})`)
    await query(`alter table ${table} enable trigger filled_once`)
  }
  const earlier = async () => {
    const own = await agreed()
    await query('update transfers set bound = null where id = $1', [own.id])
    return own
  }

  it('is bound by the list of the migration, to which nobody adds, when it is met or in its turn', async () => {
    const [met, turn] = [await earlier(), await earlier()]
    const add = 'insert into transfers_to_bind values ($1)'
    await expect(query(add, [met.id])).rejects.toThrow('listed by the migration')
    const longer = "insert into terms_binding values (now() + interval '1 day')"
    await expect(query(longer)).rejects.toThrow('listed by the migration')
    await bindListedTerms(app.deps)
    expect(await isBound(turn.id)).toBe(false)
    for (const { id } of [met, turn]) await list('transfers_to_bind', `'${id}'`)
    await come(met)
    expect(await query('select transfer_id from transfers_to_bind')).toEqual([{ transfer_id: turn.id }])
    await bindListedTerms(app.deps)
    expect(await query('select from transfers_to_bind')).toEqual([])
    await come(turn)
    for (const { id } of [met, turn]) expect(await orderOf(id)).toMatchObject({ state: 'sent' })
    await query('update transfers set bound = null where id = $1', [turn.id])
    expect(await isBound(turn.id)).toBe(false)
  })

  it('is what the migration lists: open before it, paid after it', async () => {
    const states = ['awaiting_funds', 'expired'] as const
    const open = [await agreed(), await agreed()]
    const over = [await agreed(), await agreed({ kind: 'deposit' })]
    for (const [index, { id }] of open.entries())
      await query('update transfers set state = $2 where id = $1', [id, states[index]])
    await query("update transfers set state = 'failed' where id = $1", [over[0]?.id])
    await query('drop table transfers_to_bind, terms_binding')
    await query('alter table transfers drop column bound')
    for (const name of ['0290-bound-transfers', '0291-withdrawals-to-bind'])
      await query(readFileSync(new URL(`../migrations/${name}.sql`, import.meta.url), 'utf8'))
    await query('delete from terms_binding')
    const listed = (await query<{ id: string }>('select transfer_id as id from transfers_to_bind')).map(
      ({ id }) => id,
    )
    expect(listed).toEqual(expect.arrayContaining(open.map(({ id }) => id)))
    for (const { id } of over) expect(listed).not.toContain(id)
    for (const own of open) await come(own)
    for (const { id } of open) expect(await orderOf(id)).toMatchObject({ state: 'sent', wait_code: null })
  })

  it('cannot be read: it leaves the list, and the others are bound', async () => {
    const [broken, other] = [await earlier(), await earlier()]
    await query("update transfers set sealed_destination = '\\x00' where id = $1", [broken.id])
    for (const { id } of [broken, other]) await list('transfers_to_bind', `'${id}'`)
    await bindListedTerms(app.deps)
    expect([await isBound(broken.id), await isBound(other.id)]).toEqual([false, true])
    await query('update transfers set sealed_destination = null where id = $1', [broken.id])
    expect(await query('select from transfers_to_bind')).toEqual([])
  })

  it('is bound when it is met while an upgrade lasts, and before that ends, and not after', async () => {
    const [late, met, unmet] = [await earlier(), await earlier(), await earlier()]
    await list('terms_binding', "now() - interval '1 minute'")
    await bindTermsOfUpgrade(app.deps)
    await come(late)
    await expectUnpaid(late.id)
    await list('terms_binding', "now() + interval '15 minutes'")
    await come(met)
    await bindTermsOfUpgrade(app.deps)
    await query('delete from terms_binding')
    await come(unmet)
    for (const { id } of [met, unmet]) expect(await orderOf(id)).toMatchObject({ state: 'sent' })
    await refund(late.id)
  })

  it('is bound again under a newer key, and nothing else is', async () => {
    const [own, forged, late] = [await agreed(), await agreed(), await agreed()]
    const over = [await agreed(), await agreed(), await agreed()]
    await query("update transfers set amount = '90000' where id = $1", [forged.id])
    const end =
      'update transfers set state = $2, updated_at = now() - make_interval(days => $3) where id = $1'
    await query(end, [late.id, 'completed', 119])
    for (const [index, state] of (['completed', 'expired', 'failed'] as const).entries())
      await query(end, [over[index]?.id, state, state === 'failed' ? 0 : 121])
    const { rotating, newOnly } = withNewerKey(app.deps)
    await bindTermsAgain(rotating)
    await rotate(rotating, sealedDestinations)
    const { db } = app.deps.database
    for (const { id } of [own, late]) expect(await areTermsBound(newOnly, db, id)).toBe(true)
    for (const { id } of over) {
      expect(await areTermsBound(newOnly, db, id)).toBe(false)
      expect(await areTermsBound(rotating, db, id)).toBe(true)
    }
    expect(await areTermsBound(rotating, db, forged.id)).toBe(false)
  })
})
