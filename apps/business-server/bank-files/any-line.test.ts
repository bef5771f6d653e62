import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { payQueued } from '../payments/pay.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { matchLines } from './match.ts'

const numRuns = process.env.MODE === 'faults' ? 600 : 25
let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
  const charges = { tolerance: '0.3', returnsBorneBy: 'customer' }
  await anchor.asOperator('PUT', '/journal/settings', { timeZone: 'UTC', by: one, charges })
})
afterAll(() => anchor.close())

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']

let bookings = 0
async function book(booking: Parameters<typeof camt053>[0][number]) {
  const bankReference = `L${(bookings += 1)}`
  const given = { name: 'Asha Rao', account: ASHA.dest, bankReference, ...booking }
  await anchor.upload('SEPA', 'x.xml', camt053([given]))
  return bankReference
}
interface Line {
  id: string
  state: string
  why: string
  review_code: string | null
}
async function lineOf(reference: string): Promise<Line> {
  const [line] = await anchor.rows<Line>('select * from bank_lines where bank_reference = $1', [reference])
  if (!line) throw new Error('the line is missing')
  return line
}
const onLine = async (line: Line, path: string, body: object) => {
  const answer = await anchor.asOperator('POST', `/statement-lines/${line.id}/${path}`, {
    ...{ reason: 'seen', by: one },
    ...body,
  })
  const approval = { approve: true, by: other }
  if (answer.json<{ pending?: object }>().pending)
    await anchor.asOperator('POST', `/statement-lines/${line.id}/approval`, approval)
  return answer.statusCode
}
async function file() {
  await anchor.sendOrders()
  const made = await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
  if (made.statusCode === 201) await anchor.approve(made.json<{ id: string }>().id, other)
}
const refundsOf = (id: string) =>
  anchor.rows<{ state: string; amount: string }>(
    "select state, amount::float::text as amount from ledger_payments where transfer_id = $1 and purpose = 'refund'",
    [id],
  )

it('a payout that is returned with a charge, reversed, and returned with another is refunded by what came', async () => {
  const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
  await file()
  const less = (by: number) => (Number(money) - by).toFixed(2)
  const back = { text: code, returnReason: 'AC04', day: '2026-11-22' }
  const first = await book({ ...back, amount: less(0.5) })
  await matchLines(anchor.deps)
  expect(await onLine(await lineOf(first), 'decide', { decision: 'match', transactionId: id })).toBe(200)
  const [refund] = await refundsOf(id)
  // It was another payment: the payout is at the bank as before.
  expect(await onLine(await lineOf(first), 'reversal', {})).toBe(200)
  expect(await refundsOf(id)).toEqual([{ state: 'canceled', amount: refund?.amount }])
  const second = await book({ ...back, amount: less(0.25) })
  await matchLines(anchor.deps)
  expect(await lineOf(second)).toMatchObject({ state: 'matched', review_code: null })
  const [again] = await refundsOf(id)
  expect(again?.state).toBe('queued')
  expect(Number(again?.amount)).toBeGreaterThan(Number(refund?.amount))
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('returned')
})

it('a line that cannot be matched waits for a person with a code, and others are matched meanwhile', async () => {
  const deposit = await anchor.deposit()
  const [bad, good] = [await book({ amount: '7.00', text: 'a' }), await book({ amount: '8.00', text: 'b' })]
  const { sealer } = anchor.deps
  const failing = () =>
    vi.spyOn(sealer, 'open').mockImplementation(() => {
      throw new Error('no key')
    })
  let fails = failing()
  await anchor.rows('update bank_lines set codes = $2 where bank_reference = $1', [bad, [deposit.reference]])
  const failed = await matchLines(anchor.deps).catch((error: unknown) => error)
  fails.mockRestore()
  expect(failed).toMatchObject({ message: 'no key' })
  expect([(await lineOf(bad)).state, (await lineOf(good)).state]).toEqual(['new', 'review'])
  const hour = "update bank_lines set next_try_at = now(), created_at = now() - interval '61 minutes'"
  await anchor.rows(`${hour} where bank_reference = $1`, [bad])
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  expect(conditions.some(({ subject }) => subject === 'unmatched-lines')).toBe(true)
  fails = failing()
  await matchLines(anchor.deps).finally(() => fails.mockRestore())
  expect(await lineOf(bad)).toMatchObject({ state: 'review', review_code: 'failed' })
  const suspense = (await anchor.get('/statement-lines?status=review')).json<
    { reasonCode: string | null }[]
  >()
  expect(suspense.map(({ reasonCode }) => reasonCode)).toContain('failed')
  expect(await onLine(await lineOf(bad), 'decide', { decision: 'return' })).toBe(200)
})

const booking = fc.record({
  kind: fc.constant('book' as const),
  names: fc.constantFrom<'payout' | 'deposit' | 'file' | 'nothing'>(
    'payout',
    'payout',
    'deposit',
    'file',
    'nothing',
  ),
  direction: fc.constantFrom<'in' | 'out'>('in', 'out'),
  less: fc.constantFrom(0, 0, 25, 50, -25, 300),
  returned: fc.boolean(),
})
const act = fc.record({
  kind: fc.constantFrom<'file' | 'pay' | 'match' | 'return' | 'own' | 'reverse'>(
    ...(['file', 'pay', 'match', 'return', 'own', 'reverse'] as const),
  ),
})
type Step =
  typeof booking extends fc.Arbitrary<infer B>
    ? B | { kind: 'file' | 'pay' | 'match' | 'return' | 'own' | 'reverse' }
    : never

it('whatever comes in whatever order, each line ends matched or with a person', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(booking, booking, act), { minLength: 3, maxLength: 9 }),
      async steps => {
        const deposit = await anchor.deposit()
        const payout = await anchor.withdrawal('sepa', ASHA)
        const references: World['references'] = []
        for (const step of steps) await take(step, { deposit, payout, references })
        for (const { reference } of references)
          expect(await lineOf(reference)).toMatchObject({
            review_code: null,
            state: expect.not.stringMatching('new'),
          })
        await cleanUp(deposit.id)
      },
    ),
    { numRuns },
  )
}, 600_000)

interface World {
  deposit: { id: string; reference: string; money: string }
  payout: { id: string; code: string; money: string }
  references: { reference: string; names: 'payout' | 'deposit' | 'file' | 'nothing' }[]
}

async function take(step: Step, { deposit, payout, references }: World): Promise<void> {
  const newest = references.at(-1)
  if (step.kind === 'file') return file()
  if (step.kind === 'pay') return payQueued(anchor.deps)
  if (step.kind === 'book') {
    const of = step.names === 'deposit' ? deposit : payout
    const files = await anchor.rows<{ code: string }>(
      'select code from payout_files order by created_at desc limit 1',
    )
    const text = {
      payout: payout.code,
      deposit: deposit.reference,
      file: files[0]?.code ?? '',
      nothing: 'x',
    }[step.names]
    const amount = Math.max(0.01, Number(of.money) - step.less / 100).toFixed(2)
    const reason = step.returned ? { returnReason: 'AC04' } : {}
    const reference = await book({ amount, text, direction: step.direction, ...reason, day: '2026-11-22' })
    references.push({ reference, names: step.names })
    return matchLines(anchor.deps)
  }
  if (!newest) return
  const line = await lineOf(newest.reference)
  const of = {
    deposit: { transactionId: deposit.id },
    payout: { transactionId: payout.id },
    file: {},
    nothing: {},
  }[newest.names]
  const answers = {
    reverse: () => onLine(line, 'reversal', {}),
    own: () => onLine(line, 'decide', { decision: 'ignore', as: 'own' }),
    return: () => onLine(line, 'decide', { decision: 'return' }),
    match: () => onLine(line, 'decide', { decision: 'match', ...of }),
  }
  expect(await answers[step.kind]()).toBeLessThan(500)
}

/** The next run begins with a customer who owes nothing. */
async function cleanUp(transfer: string): Promise<void> {
  const body = { kind: 'write-off', reason: 'x', by: one }
  const asked = await anchor.asOperator('POST', `/transactions/${transfer}/actions`, body)
  if (asked.statusCode >= 300) return
  const path = `/operator-actions/${asked.json<{ id: string }>().id}/decision`
  await anchor.asOperator('POST', path, { approve: true, by: other })
}
