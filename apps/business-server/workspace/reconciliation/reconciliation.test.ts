import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../../deps.ts'
import { recordEntry, type Line } from '../../money/journal/journal.ts'
import { evaluateConditions } from '../notifications/conditions.ts'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { orderIdOf } from '../../payments/rail-orders.ts'
import { settleOrder } from '../../payments/settle-order.ts'
import type { RailPayment } from '../../rails/rail.ts'
import { BankAnchor, camt053, IBAN } from '../../testing/bank-anchor.ts'
import { reconcile, reconcileHourly } from './reconcile.ts'
import { countPressing, countResolvedThere } from './store.ts'

let anchor: BankAnchor
let beyond = 0n
beforeAll(async () => {
  anchor = await BankAnchor.start()
  await record([
    ['treasury', 'asset', parseAmount('1000')],
    ['issued', 'asset', -parseAmount('1000')],
  ])
  const { routineHorizon: ledger, database } = anchor.deps
  // Withdrawals of the tests come from no ledger: it holds what the journal says, and `beyond`.
  const account: Horizon['account'] = async address => {
    const found = await ledger.account(address)
    const { rows } = await database.pool.query<{ held: string }>(
      "select sum(amount)::text as held from journal_lines where account = 'treasury'",
    )
    const balance = formatAmount(amountOf(parseAmount(rows[0]?.held ?? '0') + beyond))
    const balances =
      found?.balances.map(each => (each.asset === 'native' ? each : { ...each, balance })) ?? []
    return found && { ...found, balances }
  }
  anchor.deps.routineHorizon = Object.assign(Object.create(ledger) as Horizon, { account })
})
afterAll(() => anchor.close())
beforeEach(() => anchor.rows('delete from reconciliation_differences'))

const record = (lines: Line[], cause: string = randomUUID()) =>
  anchor.deps.database.db.transaction().execute(tx => recordEntry(tx, { cause, kind: 'test', lines }))
const run = (over: Partial<Deps> = {}) => reconcile({ ...anchor.deps, ...over }, 'operator:usr_1')
const list = async (status: string) =>
  (await anchor.get(`/reconciliation/differences?status=${status}`)).json<
    { id: string; kind: string; amount: string; unit: string; subject: string; reason: string | null }[]
  >()
const resultsOf = ({ last }: Awaited<ReturnType<typeof run>>) =>
  Object.fromEntries((last?.checks ?? []).map(({ name, result }) => [name, result]))
const act = (path: string, body: object) => anchor.asOperator('POST', path, body)
const back = async (lines: Line[]) => record(lines.map(([account, unit, amount]) => [account, unit, -amount]))

describe('the reconciliation of an anchor', () => {
  it('finds nothing after deposits, payouts and statements that agree', async () => {
    const { reference, money } = await anchor.deposit()
    const { code, money: paid } = await anchor.withdrawal('sepa', {
      dest: 'NL91ABNA0417164300',
      dest_name: 'Asha Rao',
    })
    expect(code).not.toBe('')
    const bookings = [
      { amount: money, text: reference, bankReference: 'A1' },
      { amount: '7.00', text: 'Interest', bankReference: 'A2' },
    ]
    await anchor.read('SEPA', 'one.xml', camt053(bookings))
    await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:usr_1' })
    await anchor.read(
      'SEPA',
      'two.xml',
      camt053([{ amount: paid, direction: 'out', endToEndId: code, bankReference: 'A3' }]),
    )
    const found = await run()
    expect(resultsOf(found)).toEqual({
      ...{ 'Distribution account': 'equal', Customers: 'equal', 'Bank accounts': 'equal' },
      ...{
        'Missing statements': 'equal',
        'Balances of banks': 'equal',
        'Payouts under way': 'equal',
        'Payouts at providers': 'equal',
        'Deposits taken back': 'equal',
        'Disputes at providers': 'equal',
      },
      ...{
        'Payments by a person’s word': 'equal',
        'Closed periods': 'equal',
        'Decisions about lines': 'equal',
      },
    })
    expect(found).toMatchObject({ open: 0, last: { by: 'operator:usr_1' } })
  })

  it('counts a line that an operator ignores as duplicate on neither side', async () => {
    const bookings = ['D1', 'D2'].map(bankReference => ({
      amount: '9.00',
      text: 'no reference',
      bankReference,
    }))
    await anchor.read('SEPA', 'dup.xml', camt053(bookings))
    const [line, twin] = await anchor.rows<{ id: string }>(
      "select id from bank_lines where bank_reference in ('D1', 'D2')",
    )
    const decision = {
      ...{ decision: 'ignore', as: 'duplicate', duplicateOf: twin?.id },
      ...{ reason: 'twice', by: 'operator:usr_1' },
    }
    expect((await act(`/statement-lines/${line?.id}/decide`, decision)).statusCode).toBe(200)
    expect(resultsOf(await run())['Bank accounts']).toBe('equal')
  })

  it('names, ages, assigns and resolves a difference, and opens it again where its amount changes', async () => {
    const wrong: Line[] = [
      ['rail:SEPA', 'EUR', parseAmount('3')],
      ['suspense', 'EUR', -parseAmount('3')],
    ]
    await record(wrong)
    expect((await run()).open).toBe(1)
    await run()
    const [found, ...others] = await list('open')
    expect(others).toEqual([])
    expect(found).toMatchObject({ kind: 'bank-account', subject: IBAN, unit: 'EUR', amount: '-3' })
    const path = `/reconciliation/differences/${found?.id}`
    expect((await act(`${path}/assign`, { to: 'operator:usr_2' })).json()).toMatchObject({
      assignedTo: 'operator:usr_2',
    })
    const resolution = { reason: 'A correction of the auditor.', by: 'operator:usr_1' }
    expect((await act(`${path}/resolve`, { ...resolution, reason: '' })).statusCode).toBe(400)
    expect((await act(`${path}/resolve`, resolution)).json()).toMatchObject({
      ...{ status: 'resolved', endedBy: 'operator:usr_1', reason: resolution.reason },
    })
    const again = await act(`${path}/resolve`, resolution)
    expect([again.statusCode, again.json().code]).toEqual([409, 'difference-ended'])
    expect((await run()).open).toBe(0)
    await record(wrong)
    expect((await run()).open).toBe(1)
    expect(await list('open')).toMatchObject([{ amount: '-6' }])
    await back(wrong)
    await back(wrong)
    expect((await run()).open).toBe(0)
    expect(await list('gone')).toMatchObject([{ amount: '-6', reason: null }])
    expect((await act('/reconciliation/differences/none/assign', { to: null })).statusCode).toBe(404)
  })

  it('is resolved by two people above the limit of the settings, with a reason of the list', async () => {
    const settings = { ...plannedSettings(anchor.deps.config.anchor.plan), approvals: { above: '10' } }
    await anchor.rows("insert into business_settings (settings, by, at) values ($1, 'operator:one', now())", [
      JSON.stringify(settings),
    ])
    const wrong = (amount: string): Line[] => [
      ['rail:SEPA', 'EUR', parseAmount(amount)],
      ['suspense', 'EUR', -parseAmount(amount)],
    ]
    await record(wrong('500'))
    await run()
    const [found] = await list('open')
    const path = `/reconciliation/differences/${found?.id}`
    const [one, other] = ['operator:usr_1', 'operator:usr_2']
    expect((await act(`${path}/approval`, { approve: true, by: other })).json().code).toBe('action-not-found')
    const asked = { reason: 'ok', resolution: 'written-off', by: one }
    expect((await act(`${path}/resolve`, { ...asked, resolution: 'ok' })).statusCode).toBe(400)
    expect((await act(`${path}/resolve`, asked)).json()).toMatchObject({
      ...{ status: 'open', resolution: null, endedBy: null },
      pending: { reason: 'ok', resolution: 'written-off', by: one },
    })
    expect((await run()).open).toBe(1)
    expect((await act(`${path}/approval`, { approve: true, by: one })).json().code).toBe(
      'second-person-needed',
    )
    expect((await act(`${path}/approval`, { approve: false, by: one })).json()).toMatchObject({
      ...{ status: 'open', pending: null },
    })
    await act(`${path}/resolve`, asked)
    expect((await act(`${path}/approval`, { approve: true, by: other })).json()).toMatchObject({
      ...{ status: 'resolved', endedBy: other, reason: 'ok', resolution: 'written-off', pending: null },
    })
    expect((await run()).open).toBe(0)
    // What people resolved and what is still there is no secret of the printed statement.
    const { db } = anchor.deps.database
    expect(await readScalar(db, countResolvedThere)).toBe(1)
    await back(wrong('500'))
    await run()
    expect(await readScalar(db, countResolvedThere)).toBe(0)
    await record(wrong('3'))
    await run()
    const [small] = await list('open')
    const alone = { reason: 'a few cents of the bank', resolution: 'bank-charge', by: one }
    expect((await act(`/reconciliation/differences/${small?.id}/resolve`, alone)).json()).toMatchObject({
      ...{ status: 'resolved', resolution: 'bank-charge', endedBy: one },
    })
    await back(wrong('3'))
  })

  it('finds money that came by a person’s word alone, until the rail confirms it', async () => {
    const entered = (id: string, days: number) =>
      anchor.rows(
        `insert into rail_receipts (rail, payment_id, reference, amount, currency, outcome, why, source, seen_at)
         values ('ACH', $1, 'R1', 5000, 'USD', 'accepted', 'as agreed', 'operator', now() - $2 * interval '1 day')`,
        [id, days],
      )
    await entered('INVENTED-1', 0)
    await run()
    // No act of a person says so: it is an alarm at once.
    expect(await list('open')).toMatchObject([
      {
        ...{ kind: 'payment-unconfirmed', subject: 'ACH:INVENTED-1', unit: 'USD', amount: '-5000' },
        ...{ saidBy: null, dueAt: null, detail: expect.stringContaining('no act of a person says so') },
      },
    ])
    expect(await readScalar(anchor.deps.database.db, countPressing)).toBe(1)
    const report = { kind: 'received', paymentId: 'INVENTED-1', reference: 'R1', currency: 'USD' } as const
    const receive = (amount: string) => receiveRailPayment(anchor.deps, 'ACH', { ...report, amount })
    await receive('4999')
    await run()
    expect(await list('open')).toHaveLength(1)
    await receive('5000')
    await run()
    expect(await list('open')).toEqual([])
  })

  it('finds what the journal owes customers and the ledger holds beyond it', async () => {
    const wrong: Line[] = [
      ['customers', 'asset', parseAmount('2')],
      ['lost', 'asset', -parseAmount('2')],
    ]
    await record(wrong)
    beyond = parseAmount('5')
    await run()
    const found = await list('open')
    expect(found.map(({ kind, amount }) => [kind, amount]).toSorted()).toEqual([
      ['customers', '-2'],
      ['treasury', '5'],
    ])
    await back(wrong)
    beyond = 0n
    await run()
    expect(await list('open')).toEqual([])
  })

  it('keeps what it knew while the ledger does not answer', async () => {
    const account = async () => {
      throw new LedgerError('ledger-unavailable', 'Horizon does not answer.')
    }
    const routineHorizon = Object.assign(Object.create(anchor.deps.routineHorizon) as Horizon, { account })
    const found = await run({ routineHorizon })
    expect(resultsOf(found)['Distribution account']).toBe('not-checked')
  })

  it('finds payouts that take days, and is repeated once an hour', async () => {
    const { id } = await anchor.withdrawal('sepa', { dest: 'NL91ABNA0417164300', dest_name: 'Asha Rao' })
    await anchor.rows(
      "update rail_orders set created_at = now() - interval '4 days' where transfer_id = $1",
      [id],
    )
    await anchor.rows('delete from reconciliations')
    await reconcileHourly(anchor.deps)
    await reconcileHourly(anchor.deps)
    expect(await anchor.rows('select by from reconciliations')).toEqual([{ by: 'schedule' }])
    expect(await list('open')).toMatchObject([{ kind: 'payout-open' }])
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions.filter(({ subject }) => subject === 'reconciliation')).toEqual([
      {
        ...{ kind: 'reconciliation-difference', subject: 'reconciliation' },
        detail: 'A difference between journal and rails is open.',
        spanish: 'Hay una diferencia abierta entre el diario y los medios de pago.',
      },
    ])
    await anchor.rows('update rail_orders set created_at = now() where transfer_id = $1', [id])
  })

  it('compares payouts with a provider both ways, and records what no webhook reported', async () => {
    const { id } = await anchor.withdrawal('sepa', { dest: 'NL91ABNA0417164300', dest_name: 'Asha Rao' })
    const [order] = await anchor.rows<{ id: string; amount: string }>(
      'select id, amount::text from rail_orders where transfer_id = $1',
      [id],
    )
    const amount = formatAmount(parseAmount(order?.amount ?? '0'))
    const of = (orderId: string, over: Partial<RailPayment> = {}): RailPayment => ({
      ...{ orderId, paymentId: `pout_${orderId.slice(0, 8)}`, amount, currency: 'EUR', at: new Date() },
      report: { kind: 'paid', orderId, paymentId: 'p' },
      ...over,
    })
    const earlier = await anchor.rows<{ id: string; amount: string }>(
      "select id, amount::text from rail_orders where rail = 'SEPA' and state = 'paid'",
    )
    const known = earlier.map(each => of(each.id, { amount: formatAmount(parseAmount(each.amount)) }))
    let there: RailPayment[] = []
    const rail = anchor.deps.rails.get('SEPA')!
    const payments = async function* () {
      yield* [...known, ...there]
    }
    const rails = new Map([...anchor.deps.rails, ['SEPA', { ...rail, payments }] as const])
    const stranger = orderIdOf('payout:of-nobody')
    there = [of(order?.id ?? ''), of(stranger), of('INVOICE 4711')]
    await run({ rails })
    expect(await anchor.state(id)).toBe('completed')
    expect((await list('open')).filter(({ kind }) => kind.startsWith('payout-'))).toMatchObject([
      { kind: 'payout-unknown', amount: `-${amount}`, subject: `pout_${stranger.slice(0, 8)}` },
    ])
    // A payout that was sent late may be of a week in which its order was not queued.
    await anchor.rows("update rail_orders set created_at = now() - interval '8 days' where id = $1", [
      order?.id,
    ])
    there = [of(order?.id ?? '')]
    await run({ rails })
    expect((await list('open')).filter(({ kind }) => kind.startsWith('payout-'))).toEqual([])
    await anchor.rows('update rail_orders set created_at = now() where id = $1', [order?.id])
    there = [of(order?.id ?? '', { amount: '1' })]
    await run({ rails })
    expect((await list('open')).map(({ kind }) => kind)).toContain('payout-amount')
    there = []
    await run({ rails })
    expect((await list('open')).map(({ kind }) => kind)).toContain('payout-missing')
    const orderId = order?.id ?? ''
    const failed = of(orderId, {
      ...{ paymentId: 'pout_back', report: { kind: 'failed', orderId, reason: 'the payout was reversed' } },
    })
    const failure = () => anchor.rows('select state, failure from rail_orders where id = $1', [orderId])
    there = [failed, of(orderId)]
    await run({ rails })
    expect(await failure()).toEqual([{ state: 'paid', failure: null }])
    there = [failed]
    for (let time = 0; time < 2; time++) await run({ rails })
    expect(await failure()).toEqual([{ state: 'paid', failure: 'the payout was reversed' }])
    const sentBack = await anchor.rows("select 1 from journal_entries where kind = 'reversal'")
    expect(sentBack).toHaveLength(1)
  })

  it('finds a payout that left at the provider and is refunded here', async () => {
    const { id } = await anchor.withdrawal('sepa', { dest: 'NL91ABNA0417164300', dest_name: 'Asha Rao' })
    const [order] = await anchor.rows<{ id: string; amount: string }>(
      'select id, amount::text from rail_orders where transfer_id = $1',
      [id],
    )
    const orderId = order?.id ?? ''
    await settleOrder(anchor.deps, { kind: 'failed', orderId, reason: 'refused' })
    const amount = formatAmount(parseAmount(order?.amount ?? ''))
    const report = { kind: 'paid', orderId, paymentId: 'pout_left' } as const
    const payments = async function* (): AsyncGenerator<RailPayment> {
      yield { orderId, paymentId: 'pout_left', amount, currency: 'EUR', at: new Date(), report }
    }
    const rail = anchor.deps.rails.get('SEPA')!
    await run({ rails: new Map([['SEPA', { ...rail, payments }]]) })
    expect((await list('open')).filter(({ kind }) => kind === 'payout-unknown')).toMatchObject([
      { subject: 'pout_left', amount: `-${amount}` },
    ])
  })
})
