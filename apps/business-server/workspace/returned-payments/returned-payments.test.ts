import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordOrder, recordSentBack } from '../../money/journal/entries.ts'
import { evaluateConditions } from '../notifications/conditions.ts'
import { requestAction } from '../operator-actions/actions.ts'
import { payQueued } from '../../payments/pay.ts'
import type { RailOrder } from '../../tables.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { findTransfer } from '../../transfers/find.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())
beforeEach(() => limit(null))

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const NEW = { dest: 'DE89370400440532013000', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
]

async function limit(above: string | null): Promise<void> {
  const settings = { ...plannedSettings(anchor.deps.config.anchor.plan), approvals: { above } }
  await anchor.rows(
    "insert into business_settings (settings, by, at) values ($1, 'operator:one', now() - interval '2 days')",
    [JSON.stringify(settings)],
  )
}

let bookings = 0
type Booking = Parameters<typeof camt053>[0][number]
const book = (booking: Booking) =>
  anchor.read('SEPA', 'x.xml', camt053([{ bankReference: `R${(bookings += 1)}`, ...booking }]))

/** Puts all that waits into a file that the bank gets. */
async function file(): Promise<string> {
  await anchor.sendOrders()
  const { id } = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json()
  await anchor.approve(id, other)
  return id
}
const payoutsOf = (transferId: string) =>
  anchor.rows<{ id: string; code: string }>(
    'select id, code from bank_payouts where transfer_id = $1 order by created_at',
    [transferId],
  )

/** A withdrawal whose payout the bank made, and sent back two days later. */
async function sentBack(): Promise<{ id: string; code: string; money: string }> {
  const payout = await anchor.withdrawal('sepa', ASHA)
  await file()
  await book({ amount: payout.money, direction: 'out', text: payout.code })
  expect(await anchor.state(payout.id)).toBe('completed')
  await book({ amount: payout.money, text: payout.code, returnReason: 'AC04', day: '2026-11-22' })
  return payout
}

const act = (id: string, kind: string, over: object = {}) =>
  anchor.asOperator('POST', `/transactions/${id}/actions`, {
    ...{ kind, reason: 'The customer called.', by: one },
    ...over,
  })
const approve = (id: string, by: string) =>
  anchor.asOperator('POST', `/operator-actions/${id}/decision`, { approve: true, by })
const queue = async () => (await anchor.get('/returned-payments')).json<ReturnedPayment[]>()
const ofTransaction = async (id: string) =>
  (await queue()).filter(({ transactionId }) => transactionId === id)
const methods = async (id: string) =>
  (
    await anchor.rows<{ method: string }>(
      'select method from platform_calls where transfer_id = $1 order by id',
      [id],
    )
  ).map(({ method }) => method)

describe('a payout that the bank sends back after its debit was confirmed', () => {
  it('waits in the queue with actions, the customer knows, and the journal owes the units again', async () => {
    const before = await anchor.balances()
    const { id } = await sentBack()
    expect(await anchor.state(id)).toBe('sent_back')
    const transaction = (await anchor.get(`/transactions/${id}`)).json()
    expect(transaction).toMatchObject({
      ...{ possibleActions: ['pay-again', 'refund'] },
      message: expect.stringContaining('AC04'),
    })
    expect((await methods(id)).at(-1)).toBe('notify_transaction_recovery')
    expect(await ofTransaction(id)).toMatchObject([{ kind: 'payout', reason: 'AC04', pending: null }])
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions).toContainEqual(expect.objectContaining({ subject: 'returned-payments' }))
    const after = await anchor.balances()
    expect([after['rail:SEPA EUR'], after['suspense EUR']]).toEqual([
      before['rail:SEPA EUR'],
      before['suspense EUR'],
    ])
    expect(Number(after['customers asset'] ?? 0) - Number(before['customers asset'] ?? 0)).toBe(-20)
  })

  it('is paid again as a payment of its own, and ends with its debit', async () => {
    const before = (await anchor.balances())['customers asset']
    const { id, code, money } = await sentBack()
    expect((await act(id, 'pay-again')).json<OperatorAction>()).toMatchObject({ status: 'done' })
    expect([await anchor.state(id), await ofTransaction(id)]).toEqual(['funded', []])
    expect(codeOf(await act(id, 'pay-again'))).toEqual([409, 'action-not-possible'])
    await file()
    const [first, second] = await payoutsOf(id)
    expect([first?.code, second?.code !== code, await anchor.state(id)]).toEqual([code, true, 'paying_out'])
    // A second credit of the first one is no second return.
    await book({ amount: money, text: code, returnReason: 'AC04', day: '2026-11-23' })
    const lines = await anchor.rows("select why from bank_lines where why like '%came back already%'")
    expect(lines).toHaveLength(1)
    await book({ amount: money, direction: 'out', text: second?.code ?? '', day: '2026-11-24' })
    expect(await anchor.state(id)).toBe('completed')
    expect((await anchor.balances())['customers asset']).toBe(before)
    // And back again.
    await book({ amount: money, text: second?.code ?? '', returnReason: 'AC06', day: '2026-11-25' })
    expect([await anchor.state(id), (await ofTransaction(id)).length]).toEqual(['sent_back', 1])
    expect((await act(id, 'pay-again')).statusCode).toBe(201)
  })

  it('is paid to another account only if two people say so, whatever the amount', async () => {
    const { id } = await sentBack()
    const wrong = await act(id, 'pay-again', { account: { ...NEW, dest: 'DE89370400440532013001' } })
    expect(codeOf(wrong)).toEqual([400, 'validation-failed'])
    expect(codeOf(await act(id, 'refund', { account: NEW }))).toEqual([400, 'validation-failed'])
    const asked = (await act(id, 'pay-again', { account: NEW })).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', account: NEW })
    // Keys see no account, people who approve it see it whole.
    const seen = async (headers: Record<string, string>) => {
      const url = `/api/v1/transactions/${id}`
      const { actions } = (await anchor.app.server.app.inject({ url, headers })).json()
      return actions.at(-1).account
    }
    expect(await seen({ authorization: 'Bearer key' })).toEqual({ dest: '•••• 3000' })
    expect(await seen(asPlatform(anchor.deps.config.secrets))).toEqual(NEW)
    const stored = await anchor.rows<{ row: string }>(
      'select operator_actions::text as row from operator_actions where id = $1',
      [asked.id],
    )
    expect(stored[0]?.row).not.toContain(NEW.dest)
    expect(codeOf(await approve(asked.id, one))).toEqual([409, 'second-person-needed'])
    expect(await anchor.state(id)).toBe('sent_back')
    expect((await approve(asked.id, other)).json()).toMatchObject({ status: 'done', account: null })
    const made = await file()
    const { body } = await anchor.asOperator('POST', `/payout-files/${made}/download`)
    expect(body).toContain(`<IBAN>${NEW.dest}</IBAN>`)
    expect(body).not.toContain(ASHA.dest)
  })

  it('is refunded in units, and nothing is left in suspense', async () => {
    const before = await anchor.balances()
    const { id } = await sentBack()
    expect((await act(id, 'refund')).json()).toMatchObject({ status: 'done' })
    expect([await anchor.state(id), await ofTransaction(id)]).toEqual(['returning', []])
    await payQueued(anchor.deps)
    expect(await anchor.state(id)).toBe('returned')
    const after = await anchor.balances()
    for (const account of [
      'rail:SEPA EUR',
      'suspense EUR',
      'suspense asset',
      'customers asset',
      'fees asset',
    ])
      expect([account, after[account]]).toEqual([account, before[account]])
    expect((await methods(id)).slice(-3)).toEqual([
      'notify_transaction_recovery',
      'notify_refund_pending',
      'notify_refund_sent',
    ])
  })

  it('needs two people above the limit', async () => {
    await limit('1')
    for (const kind of ['pay-again', 'refund']) {
      const { id } = await sentBack()
      const asked = (await act(id, kind)).json<OperatorAction>()
      expect([asked.status, await anchor.state(id)]).toEqual(['waiting', 'sent_back'])
      expect(codeOf(await approve(asked.id, one))).toEqual([409, 'second-person-needed'])
      expect((await approve(asked.id, other)).json().status).toBe('done')
    }
  })

  it('is decided once, whole or not at all if the server dies', async () => {
    const { id } = await sentBack()
    const faults = {
      at: (point: string) => {
        if (point === 'operator-action:written') throw new Error('the process died')
      },
    }
    const action = { kind: 'refund', reason: 'x', by: one } as const
    await expect(requestAction({ ...anchor.deps, faults }, id, action)).rejects.toThrow('died')
    expect([await anchor.state(id), (await ofTransaction(id)).length]).toEqual(['sent_back', 1])
    const answers = await Promise.all([act(id, 'refund'), act(id, 'pay-again')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
  })

  it('of an earlier release, which left it completed with its money in suspense, has the same actions', async () => {
    for (const kind of ['pay-again', 'refund']) {
      const before = await anchor.balances()
      const { id } = await sentBack()
      await asEarlierRelease(id)
      expect([await anchor.state(id), (await ofTransaction(id)).length]).toEqual(['completed', 1])
      expect((await act(id, kind)).json()).toMatchObject({ status: 'done' })
      if (kind === 'refund') await payQueued(anchor.deps)
      const after = await anchor.balances()
      expect(after['suspense EUR']).toBe(before['suspense EUR'])
      expect(await anchor.state(id)).toBe(kind === 'refund' ? 'returned' : 'funded')
    }
  })
})

/** As a release left it that noted what came back and nothing else. */
async function asEarlierRelease(id: string): Promise<void> {
  const { db } = anchor.deps.database
  const order = (await db
    .selectFrom('rail_orders')
    .selectAll()
    .where('transfer_id', '=', id)
    .executeTakeFirstOrThrow()) as RailOrder
  await db.transaction().execute(async tx => {
    await recordOrder(tx, order, await findTransfer(tx, id), true)
    await recordSentBack(tx, order)
  })
  await anchor.rows("update transfers set state = 'completed', message = null where id = $1", [id])
}

describe('a return that comes back', () => {
  it('of a deposit is paid again, and wallets see the refund under way and then made', async () => {
    const { id, reference } = await anchor.deposit()
    await book({ amount: '1.00', text: reference, name: 'Asha Rao', account: ASHA.dest })
    const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where transfer_id = $1', [id])
    await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
      ...{ decision: 'return', reason: 'wrong amount', by: one },
    })
    await file()
    const codes = () =>
      anchor.rows<{ code: string }>('select code from bank_payouts where line_id = $1 order by created_at', [
        line?.id,
      ])
    const [first] = await codes()
    await book({ amount: '1.00', direction: 'out', text: first?.code ?? '' })
    expect(await anchor.state(id)).toBe('returned')
    await book({ amount: '1.00', text: first?.code ?? '', returnReason: 'AC04', day: '2026-11-22' })
    expect(await anchor.state(id)).toBe('sent_back')
    expect((await anchor.get(`/transactions/${id}`)).json().possibleActions).toEqual(['pay-again'])
    await act(id, 'pay-again')
    expect(await anchor.state(id)).toBe('returning')
    await file()
    const [, second] = await codes()
    await book({ amount: '1.00', direction: 'out', text: second?.code ?? '', day: '2026-11-24' })
    expect(await anchor.state(id)).toBe('returned')
    expect((await methods(id)).slice(-3)).toEqual([
      'notify_transaction_recovery',
      'notify_refund_pending',
      'notify_refund_sent',
    ])
  })

  /** Money of nobody that was sent back, and came back. */
  async function ofNobody(amount: string) {
    await book({ amount: `${amount}.00`, text: 'nothing', name: 'Xaver Huber', account: ASHA.dest })
    const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where amount = $1', [amount])
    await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
      ...{ decision: 'return', reason: 'unknown', by: one },
    })
    await file()
    const codes = () =>
      anchor.rows<{ code: string }>('select code from bank_payouts where line_id = $1 order by created_at', [
        line?.id,
      ])
    const [payout] = await codes()
    await book({ amount: `${amount}.00`, direction: 'out', text: payout?.code ?? '' })
    const paid = await anchor.balances()
    await book({
      ...{ amount: `${amount}.00`, text: payout?.code ?? '', returnReason: 'AC04', day: '2026-11-22' },
    })
    const [returned] = (await queue()).filter(each => each.amount === amount)
    const path = `/returned-payments/${returned?.id}`
    return {
      ...{ id: returned?.id, returned, paid, codes },
      pay: () => anchor.asOperator('POST', `${path}/payment`, { reason: 'they called', by: one }),
      decide: (by: string, approve = true) => anchor.asOperator('POST', `${path}/approval`, { approve, by }),
    }
  }

  it('of money that belongs to no transaction is paid again from the queue, by two people above the limit', async () => {
    const { returned, paid, codes, pay, decide } = await ofNobody('44')
    expect(returned).toMatchObject({ kind: 'return', transactionId: null })
    await limit('1')
    expect((await pay()).json()).toMatchObject({ pending: { requestedBy: one } })
    expect(codeOf(await pay())).toEqual([409, 'action-not-possible'])
    expect(codeOf(await decide(one))).toEqual([409, 'second-person-needed'])
    expect((await decide(other)).statusCode).toBe(200)
    expect(codeOf(await decide(other))).toEqual([404, 'returned-payment-not-found'])
    await file()
    expect(await codes()).toHaveLength(2)
    await book({
      ...{ amount: '44.00', direction: 'out', text: (await codes())[1]?.code ?? '', day: '2026-11-24' },
    })
    expect(await anchor.balances()).toEqual(paid)
  })

  it('of nobody, without the proof that this server ordered it, is paid again by two people alone, as both saw it', async () => {
    const { id, paid, codes, pay, decide } = await ofNobody('45')
    await anchor.rows('update rail_orders set bound = null where id = $1', [id])
    expect((await pay()).json()).toMatchObject({ pending: { requestedBy: one } })
    expect(codeOf(await decide(one))).toEqual([409, 'second-person-needed'])
    const pays = (amount: string) =>
      anchor.rows('update rail_orders set amount = $2 where id = $1', [id, amount])
    await pays('9000')
    expect(codeOf(await decide(other))).toEqual([409, 'action-not-possible'])
    await pays('45')
    expect((await decide(other)).json()).toMatchObject({ pending: null })
    await file()
    expect(await anchor.rows("select 1 from rail_orders where wait_code = 'unbound'")).toEqual([])
    await book({
      ...{ amount: '45.00', direction: 'out', text: (await codes())[1]?.code ?? '', day: '2026-11-24' },
    })
    expect(await anchor.balances()).toEqual(paid)
  })

  it('of nobody, which an earlier release has waiting without that proof, is asked for again', async () => {
    const { id, pay, decide } = await ofNobody('46')
    await limit('1')
    await pay()
    await anchor.rows('update rail_orders set bound = null where id = $1', [id])
    expect(codeOf(await decide(other))).toEqual([409, 'action-not-possible'])
    expect((await decide(other, false)).statusCode).toBe(200)
    await pay()
    expect((await decide(other)).json()).toMatchObject({ pending: null })
  })
})

describe('a payout that comes back less what the bank keeps', () => {
  const decide = (line: string) =>
    anchor.asOperator('POST', `/statement-lines/${line}/decide`, {
      ...{ decision: 'match', reason: 'the bank kept its fee', by: one },
    })

  it('waits for a person, and the fee is a charge: nothing stays in suspense', async () => {
    const before = await anchor.balances()
    const payout = await anchor.withdrawal('sepa', ASHA)
    await file()
    await book({ amount: payout.money, direction: 'out', text: payout.code })
    const less = (Number(payout.money) - 3).toFixed(2)
    await book({ amount: less, text: payout.code, returnReason: 'AC04', day: '2026-11-22' })
    expect(await anchor.state(payout.id)).toBe('completed')
    const [line] = await anchor.rows<{ id: string }>(
      "select id from bank_lines where state = 'review' and amount = $1",
      [less],
    )
    expect((await decide(line?.id ?? '')).json()).toMatchObject({ status: 'matched' })
    expect([await anchor.state(payout.id), (await ofTransaction(payout.id)).length]).toEqual(['sent_back', 1])
    const back = await anchor.balances()
    expect(Number(back['charges EUR'] ?? 0) - Number(before['charges EUR'] ?? 0)).toBe(3)
    expect(Number(back['rail:SEPA EUR'] ?? 0) - Number(before['rail:SEPA EUR'] ?? 0)).toBe(-3)
    expect(back['suspense EUR']).toBe(before['suspense EUR'])
    // Taken back, and decided again: once.
    await anchor.asOperator('POST', `/statement-lines/${line?.id}/reversal`, { reason: 'wrong', by: one })
    expect([await anchor.state(payout.id), (await anchor.balances())['charges EUR']]).toEqual([
      'completed',
      before['charges EUR'],
    ])
    await decide(line?.id ?? '')
    expect((await act(payout.id, 'refund')).json()).toMatchObject({ status: 'done' })
    await payQueued(anchor.deps)
    expect(await anchor.state(payout.id)).toBe('returned')
    const after = await anchor.balances()
    for (const account of ['suspense EUR', 'suspense asset', 'customers asset'])
      expect([account, after[account]]).toEqual([account, before[account]])
  })

  it('needs two people where more is missing than banks keep', async () => {
    const payout = await anchor.withdrawal('sepa', ASHA)
    await file()
    await book({ amount: payout.money, direction: 'out', text: payout.code })
    await book({ amount: '1.00', text: payout.code, returnReason: 'AC04', day: '2026-11-22' })
    const lines = "select id from bank_lines where state = 'review' and amount = 1 order by created_at desc"
    const [line] = await anchor.rows<{ id: string }>(lines)
    expect((await decide(line?.id ?? '')).json()).toMatchObject({ pending: { requestedBy: one } })
  })
})
