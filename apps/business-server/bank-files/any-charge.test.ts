import { payQueued } from '../payments/pay.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

const numRuns = process.env.MODE === 'faults' ? 400 : 40
let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
})
afterAll(() => anchor.close())

const ASHA = { name: 'Asha Rao', account: 'DE02120300000000202051' }
const [one, other] = ['operator:one', 'operator:other']
const cents = (amount: string | number) => Math.round(Number(amount) * 100)
const euros = (amount: number) => (amount / 100).toFixed(2)

async function tolerate(tolerance: number): Promise<void> {
  const charges = { tolerance: euros(tolerance), returnsBorneBy: 'anchor' }
  const body = { timeZone: 'UTC', by: one, charges }
  expect((await anchor.asOperator('PUT', '/journal/settings', body)).statusCode).toBe(200)
}

let bookings = 0
async function book(booking: Parameters<typeof camt053>[0][number]) {
  const bankReference = `A${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ bankReference, ...ASHA, ...booking }]))
  return lineOf(bankReference)
}
async function lineOf(reference: string) {
  const [line] = await anchor.rows<{ id: string; state: string }>(
    'select id, state from bank_lines where bank_reference = $1',
    [reference],
  )
  if (!line) throw new Error('the line is missing')
  return { ...line, reference }
}
const decide = (line: string, over: object) =>
  anchor.asOperator('POST', `/statement-lines/${line}/decide`, { reason: 'seen', by: one, ...over })
const approve = (line: string) =>
  anchor.asOperator('POST', `/statement-lines/${line}/approval`, { approve: true, by: other })

/** Puts the payout with these ids into a file that the bank gets. */
async function file() {
  await anchor.sendOrders()
  const made = await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
  await anchor.approve(made.json<{ id: string }>().id, other)
}

async function paidDeposit() {
  const deposit = await anchor.deposit()
  await book({ amount: deposit.money, text: deposit.reference })
  await payQueued(anchor.deps)
  return deposit
}

/** A debit that a payment of ours waits for: what names it, what it is of, and which transaction people name. */
const debits = {
  payout: async () => {
    const { id, code, money } = await anchor.withdrawal('sepa', {
      dest: 'DE02120300000000202051',
      dest_name: 'Asha Rao',
    })
    await file()
    return { text: code, money, of: id }
  },
  recall: async () => {
    const { id, reference, money } = await paidDeposit()
    return { text: reference, money, of: id, returnReason: 'FOCR' }
  },
  return: async () => {
    const { id } = await book({ amount: '31.00', text: 'a gift' })
    expect((await decide(id, { decision: 'return' })).statusCode).toBe(200)
    await approve(id)
    await file()
    const [payout] = await anchor.rows<{ code: string }>('select code from bank_payouts where line_id = $1', [
      id,
    ])
    return { text: payout?.code ?? '', money: '31.00', of: undefined }
  },
}

const shape = (balances: Record<string, string>) => ({
  bank: cents(balances['rail:SEPA EUR'] ?? 0),
  charges: cents(balances['charges EUR'] ?? 0),
  suspense: cents(balances['suspense EUR'] ?? 0),
  debts: cents(balances['debts EUR'] ?? 0),
})
const balances = async () => shape(await anchor.balances())
/** By how much the journal's accounts differ from before. */
async function since(before: Awaited<ReturnType<typeof balances>>) {
  const after = await balances()
  return {
    ...{ bank: after.bank - before.bank, charges: after.charges - before.charges },
    ...{ suspense: after.suspense - before.suspense, debts: after.debts - before.debts },
  }
}

it('a debit that differs from its payment ends it with the difference as charges, or waits and ends so by people', async () => {
  const kinds = fc.constantFrom<keyof typeof debits>('payout', 'recall', 'return')
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: -900, max: 900 }), fc.integer({ min: 0, max: 900 }), check),
    {
      numRuns,
      examples: [
        ['payout', -30, 50],
        ['recall', -30, 50],
        ['return', 30, 50],
        ['recall', 700, 900],
      ],
    },
  )
}, 600_000)

async function check(kind: keyof typeof debits, difference: number, tolerance: number): Promise<void> {
  await tolerate(tolerance)
  const { text, money, of, ...rest } = await debits[kind]()
  const before = await balances()
  const [paid, size] = [cents(money), Math.abs(difference)]
  const booked = await book({ amount: euros(paid + difference), direction: 'out', text, ...rest })
  const isWithin = size === 0 || (size <= tolerance && size * 20 <= paid)
  expect(booked.state).toBe(isWithin ? 'matched' : 'review')
  const bank = -(paid + difference)
  const isFarLess = difference * -5 > paid
  // A bank may take a part of a deposit back: that is owed then.
  const isPart = kind === 'recall' && isFarLess
  const owed = kind === 'recall' ? paid : 0
  const ended = isPart
    ? { bank, charges: 0, suspense: 0, debts: -bank }
    : { bank, charges: difference, suspense: 0, debts: owed }
  // The money that a return sends back is in suspense until it left.
  const settled = kind === 'return' ? { ...ended, suspense: paid } : ended
  if (!isWithin) {
    const waiting = { bank: 0, charges: 0, suspense: 0, debts: 0 }
    expect(await since(before)).toEqual({ ...waiting, bank, suspense: -bank })
    const answer = await decide(booked.id, { decision: 'match', transactionId: of })
    if (isFarLess && !isPart) {
      expect([answer.statusCode, await since(before)]).toEqual([400, { ...waiting, bank, suspense: -bank }])
      expect((await decide(booked.id, { decision: 'ignore', as: 'own' })).statusCode).toBe(200)
      await approve(booked.id)
      return cleanUp(of)
    }
    if (answer.json<{ pending?: object }>().pending) expect((await approve(booked.id)).statusCode).toBe(200)
    expect((await lineOf(booked.reference)).state).toBe('matched')
  }
  expect(await since(before)).toEqual(settled)
  await cleanUp(of)
}

/** The next run begins with a customer who owes nothing. */
async function cleanUp(transfer: string | undefined): Promise<void> {
  if (!transfer) return
  const body = { kind: 'write-off', reason: 'x', by: one }
  const asked = await anchor.asOperator('POST', `/transactions/${transfer}/actions`, body)
  if (asked.statusCode >= 300) return
  const path = `/operator-actions/${asked.json<{ id: string }>().id}/decision`
  await anchor.asOperator('POST', path, { approve: true, by: other })
}
