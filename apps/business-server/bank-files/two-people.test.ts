import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { payQueued } from '../payments/pay.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { approveLine, decideLine, reverseLine } from './decide.ts'

let anchor: BankAnchor
let customerId: string
beforeAll(async () => {
  anchor = await BankAnchor.start()
  customerId = (await ensureCustomer(anchor.deps, anchor.wallet, null)).id
  await named('Asha', 'Rao')
})
afterAll(() => anchor.close())

const named = (first_name: string, last_name: string) =>
  changeCustomer(anchor.deps, customerId, { centralId: 'cus_1', fields: { first_name, last_name } })

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']

type Booking = Parameters<typeof camt053>[0][number]
let bookings = 0
/** A line of a statement of its own, whatever it became. */
async function line(booking: Booking): Promise<string> {
  const bankReference = `T${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ bankReference, ...booking }]))
  const [row] = await anchor.rows<{ id: string }>(
    'select id from bank_lines where bank_reference = $1 order by created_at desc',
    [booking.bankReference ?? bankReference],
  )
  return row?.id ?? ''
}

const byKey = (id: string, decision: object) =>
  anchor.send('POST', `/statement-lines/${id}/decide`, { reason: 'because', ...decision })
const byPerson = (id: string, decision: object, by = one) =>
  anchor.asOperator('POST', `/statement-lines/${id}/decide`, { reason: 'for colleagues', ...decision, by })
const approve = (id: string, by: string, yes = true) =>
  anchor.asOperator('POST', `/statement-lines/${id}/approval`, { approve: yes, by })
const reverse = (id: string, by = one) =>
  anchor.asOperator('POST', `/statement-lines/${id}/reversal`, { reason: 'wrong', by })
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
]

/** Everything that a decision may change. */
async function everything(): Promise<unknown> {
  const tables = [
    'bank_lines',
    'bank_payouts',
    'transfers',
    'transfer_steps',
    'rail_orders',
    'rail_receipts',
    'ledger_payments',
    'operator_actions',
    'journal_entries',
    'journal_lines',
    'platform_calls',
  ]
  return Promise.all(
    tables.map(name => anchor.rows(`select * from ${name} order by 1::text, 2::text, 3::text`)),
  )
}

/** As they were set two days ago: a higher limit counts after one. */
async function limits(approvals: { above: string | null; keysAbove?: string }): Promise<void> {
  const settings = { ...plannedSettings(anchor.deps.config.anchor.plan), approvals }
  await anchor.rows(
    "insert into business_settings (settings, by, at) values ($1, 'operator:one', now() - interval '2 days')",
    [JSON.stringify(settings)],
  )
}

/** A file with one payout that the bank has. */
async function sentPayout() {
  const payout = await anchor.withdrawal('sepa', ASHA)
  const file = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json()
  await anchor.approve(file.id, other)
  return payout
}

describe('an ordinary key', () => {
  it.each<[string, () => Promise<[string, object]>]>([
    [
      'matches no debit to the owner with a withdrawal whose payout is in no file',
      async () => {
        const { id, money } = await anchor.withdrawal('sepa', ASHA)
        const owner = { name: 'Mumbai Pay GmbH', account: 'DE89370400440532013000' }
        return [await line({ amount: money, direction: 'out', text: 'private', ...owner }), match(id)]
      },
    ],
    [
      'matches no credit of a stranger with a payout that is in a file',
      async () => {
        const { id, money } = await sentPayout()
        return [await line({ amount: money, name: 'Boris Badov', text: 'rent' }), match(id)]
      },
    ],
    ['takes no money of an unknown payer as its own', async () => [await line({ amount: '77.00' }), own]],
    [
      'removes no line as a duplicate, whether it names another or none',
      async () => [await line({ amount: '78.00' }), { decision: 'ignore', as: 'duplicate' }],
    ],
    [
      'removes no real line as the duplicate of a line of the same amount',
      async () => {
        const twin = await line({ amount: '79.00', day: '2026-11-18' })
        const decision = { decision: 'ignore', as: 'duplicate', duplicateOf: twin }
        return [await line({ amount: '79.00', day: '2026-11-19' }), decision]
      },
    ],
    [
      'matches no money of another person with a customer',
      async () => {
        const { id, reference, money } = await anchor.deposit()
        return [await line({ amount: money, text: reference, name: 'Boris Badov' }), match(id)]
      },
    ],
    [
      'matches nothing that nothing ties to a deposit',
      async () => {
        const { id, money } = await anchor.deposit()
        return [await line({ amount: money, text: 'thank you' }), match(id)]
      },
    ],
    [
      'sends back nothing',
      async () => [
        await line({ amount: '80.00', name: 'Xaver Huber', account: ASHA.dest }),
        { decision: 'return' },
      ],
    ],
  ])('%s, and nothing changes', async (_, prepare) => {
    const [id, decision] = await prepare()
    const before = await everything()
    const answer = await byKey(id, decision)
    const isUnnamed = 'as' in decision && decision.as === 'duplicate' && !('duplicateOf' in decision)
    if (!isUnnamed) expect(codeOf(answer)).toEqual([409, 'second-person-needed'])
    expect([400, 409]).toContain(answer.statusCode)
    expect(await everything()).toEqual(before)
  })

  it('matches what the payer’s name ties to a deposit, and what the settings leave to keys', async () => {
    const { id, money } = await anchor.deposit()
    const tied = await line({ amount: money, text: 'thank you', name: 'Rao, Asha' })
    expect((await byKey(tied, match(id))).json()).toMatchObject({ status: 'matched', decidedBy: 'key:k1' })
    expect(await anchor.state(id)).toBe('funded')
    await limits({ above: null, keysAbove: '10' })
    const [small, large] = [await line({ amount: '5.00' }), await line({ amount: '50.00' })]
    expect((await byKey(small, own)).statusCode).toBe(200)
    expect(codeOf(await byKey(large, own))).toEqual([409, 'second-person-needed'])
    // Never more than people decide alone.
    await limits({ above: '1', keysAbove: '10' })
    expect(codeOf(await byKey(await line({ amount: '5.00' }), own))).toEqual([409, 'second-person-needed'])
    await limits({ above: null })
  })
})

const own = { decision: 'ignore', as: 'own' }
const match = (transactionId: string) => ({ decision: 'match', transactionId })

describe('a person', () => {
  it('decides alone only about a match that something ties, else asks a second one', async () => {
    const { id, money } = await anchor.deposit()
    const untied = await line({ amount: money, text: 'thank you' })
    const before = await anchor.balances()
    const asked = await byPerson(untied, match(id))
    expect([asked.statusCode, asked.json()]).toMatchObject([
      200,
      { status: 'review', decidedBy: null, pending: { kind: 'match', transactionId: id, requestedBy: one } },
    ])
    expect([await anchor.state(id), await anchor.balances()]).toEqual(['awaiting_funds', before])
    expect(codeOf(await byPerson(untied, own, other))).toEqual([409, 'statement-line-decided'])
    expect(codeOf(await approve(untied, one))).toEqual([409, 'second-person-needed'])
    expect(codeOf(await approve(untied, 'key:k1'))).toEqual([409, 'second-person-needed'])
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions).toContainEqual(expect.objectContaining({ subject: 'operator-actions' }))
    const listed = (await anchor.get('/statement-lines?status=review')).json()
    expect(listed.find((each: { id: string }) => each.id === untied).pending).toMatchObject({ kind: 'match' })
    const answers = await Promise.all([approve(untied, other), approve(untied, 'operator:third')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404])
    expect(await anchor.state(id)).toBe('funded')
    const decided = answers.find(({ statusCode }) => statusCode === 200)?.json()
    expect(decided).toMatchObject({ status: 'matched', pending: null, canReverse: true })
    const byPeople = (await anchor.get('/statement-lines?decided=person')).json<{ id: string }[]>()
    expect(byPeople.map(each => each.id)).toContain(untied)
  })

  it('rejects what another one asked for, which changes nothing', async () => {
    const { id, money } = await anchor.deposit()
    const untied = await line({ amount: money, text: 'thank you' })
    await byPerson(untied, match(id))
    expect((await approve(untied, one, false)).json()).toMatchObject({ status: 'review', pending: null })
    expect(codeOf(await approve(untied, other))).toEqual([404, 'action-not-found'])
    expect(await anchor.state(id)).toBe('awaiting_funds')
  })

  it('needs a second one above the limit for own money, duplicates and what speaks against a match', async () => {
    await limits({ above: '30' })
    const [small, large] = [await line({ amount: '20.00' }), await line({ amount: '1234.00' })]
    expect((await byPerson(small, own)).json()).toMatchObject({ status: 'ignored', pending: null })
    expect((await byPerson(large, own)).json()).toMatchObject({ status: 'review', pending: { kind: 'own' } })
    const twin = await line({ amount: '61.00', day: '2026-11-17' })
    const again = await line({ amount: '61.00', day: '2026-11-17' })
    const duplicate = { decision: 'ignore', as: 'duplicate', duplicateOf: twin }
    expect((await byPerson(again, duplicate)).json()).toMatchObject({ pending: { duplicateOf: twin } })
    const { id, reference, money } = await anchor.deposit('sepa', '40')
    const stranger = await line({ amount: money, text: reference, name: 'Boris Badov' })
    expect((await byPerson(stranger, match(id))).json()).toMatchObject({ pending: { kind: 'match' } })
    await limits({ above: null })
  })

  it('asks for nothing that could not be done', async () => {
    const { id } = await anchor.deposit()
    const wrong = await line({ amount: '1.00', text: 'thank you' })
    const before = await everything()
    expect(codeOf(await byPerson(wrong, match(id)))).toEqual([400, 'validation-failed'])
    expect(await everything()).toEqual(before)
  })

  it('names the line that a duplicate repeats, of which one stays', async () => {
    const [first, second] = [await line({ amount: '62.00' }), await line({ amount: '62.00' })]
    const another = await line({ amount: '63.00' })
    const of = (duplicateOf?: string) => ({ decision: 'ignore', as: 'duplicate', duplicateOf })
    for (const wrong of [undefined, another, second])
      expect(codeOf(await byPerson(second, of(wrong)))).toEqual([400, 'validation-failed'])
    const twins = (await anchor.get(`/statement-lines/${second}/twins`)).json<{ id: string }[]>()
    expect(twins.map(each => each.id)).toContain(first)
    expect(twins.map(each => each.id)).not.toContain(another)
    expect((await byPerson(second, of(first))).json()).toMatchObject({ duplicateOf: first })
    expect(codeOf(await byPerson(first, of(second)))).toEqual([400, 'validation-failed'])
  })
})

it('the reason that colleagues wrote never reaches the customer', async () => {
  const { id, code, money } = await sentPayout()
  // Two payouts are named, so that it waits for a person.
  const { code: otherCode } = await sentPayout()
  const back = await line({ amount: money, text: `${code} ${otherCode}`, returnReason: 'AC04' })
  await byPerson(back, { ...match(id), reason: 'We suspect fraud: do not tell them' })
  expect(await anchor.state(id)).toBe('returning')
  const told = await anchor.rows<{ text: string }>(
    `select message as text from transfers where id = $1
     union all select params::text from platform_calls where transfer_id = $1
     union all select failure from rail_orders where transfer_id = $1`,
    [id],
  )
  expect(told.map(({ text }) => text).join()).toContain('AC04')
  expect(told.map(({ text }) => text).join()).not.toContain('fraud')
})

describe('a decision is reversed', () => {
  const suspense = async () => (await anchor.balances())['suspense EUR']

  it('about own money, a duplicate and a return that waits, and can be taken again', async () => {
    const twin = await line({ amount: '31.00' })
    const decisions = [
      own,
      { decision: 'ignore', as: 'duplicate', duplicateOf: twin },
      { decision: 'return' },
    ]
    const id = await line({ amount: '31.00', name: 'Xaver Huber', account: ASHA.dest })
    const before = await anchor.balances()
    for (const decision of [...decisions, ...decisions]) {
      expect((await byPerson(id, decision)).statusCode).toBe(200)
      if (decision.decision === 'return') await anchor.sendOrders()
      const reversed = (await reverse(id, other)).json()
      expect(reversed).toMatchObject({ status: 'review', decidedBy: null, canReverse: false })
      expect(await anchor.balances()).toEqual(before)
    }
    await anchor.sendOrders()
    expect(
      (await anchor.get('/payouts')).json().filter(({ lineId }: { lineId: string }) => lineId === id),
    ).toEqual([])
    await byPerson(id, { decision: 'return' })
    await anchor.sendOrders()
    expect(
      (await anchor.get('/payouts')).json().filter(({ lineId }: { lineId: string }) => lineId === id),
    ).toHaveLength(1)
    expect((await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json()).toMatchObject({
      payouts: 1,
    })
    expect(codeOf(await reverse(id))).toEqual([409, 'action-not-possible'])
  })

  it('about a deposit: it waits again and is matched to its own money, once', async () => {
    const [right, wrong] = [await anchor.deposit(), await anchor.deposit()]
    const id = await line({ amount: right.money, text: 'thank you', name: 'Asha Rao' })
    const before = await suspense()
    await byPerson(id, match(wrong.id))
    expect(await anchor.state(wrong.id)).toBe('funded')
    expect((await reverse(id)).json()).toMatchObject({ status: 'review', transactionId: null })
    expect([await anchor.state(wrong.id), await suspense()]).toEqual(['awaiting_funds', before])
    const calls = await anchor.rows<{ method: string }>(
      'select method from platform_calls where transfer_id = $1 order by id desc limit 1',
      [wrong.id],
    )
    expect(calls).toEqual([{ method: 'request_offchain_funds' }])
    expect((await byPerson(id, match(right.id))).statusCode).toBe(200)
    expect(await anchor.state(right.id)).toBe('funded')
    const theirs = await line({ amount: wrong.money, text: wrong.reference, name: 'Asha Rao' })
    expect(await anchor.state(wrong.id)).toBe('funded')
    expect(await anchor.rows('select state from ledger_payments where transfer_id = $1', [wrong.id])).toEqual(
      [{ state: 'queued' }],
    )
    // It was matched by itself: no person decided.
    expect(codeOf(await reverse(theirs))).toEqual([409, 'action-not-possible'])
  })

  it('about a deposit, not once its asset is signed or paid', async () => {
    const { id: deposit, money } = await anchor.deposit()
    const id = await line({ amount: money, name: 'Asha Rao' })
    await byPerson(id, match(deposit))
    await payQueued(anchor.deps)
    expect(await anchor.state(deposit)).toBe('completed')
    const before = await everything()
    const refused = await reverse(id)
    expect([refused.statusCode, refused.json().detail]).toEqual([
      409,
      expect.stringContaining('on the ledger'),
    ])
    expect(await everything()).toEqual(before)
  })

  it('about a payout that was said to be paid: it is at the bank again, and its debit ends it', async () => {
    const { id: withdrawal, code, money } = await sentPayout()
    const id = await line({ amount: money, direction: 'out', text: 'x', name: 'Asha Rao' })
    const before = await anchor.balances()
    await byPerson(id, match(withdrawal))
    expect(await anchor.state(withdrawal)).toBe('completed')
    await reverse(id)
    expect([await anchor.state(withdrawal), await anchor.balances()]).toEqual(['paying_out', before])
    await line({ amount: money, direction: 'out', text: code })
    expect(await anchor.state(withdrawal)).toBe('completed')
  })

  it('about a payout that was said to have come back, until the customer is refunded', async () => {
    const { id: withdrawal, code, money } = await sentPayout()
    const { code: second } = await sentPayout()
    const back = await line({ amount: money, text: `${code} ${second}` })
    const before = await anchor.balances()
    await byPerson(back, match(withdrawal))
    expect(await anchor.state(withdrawal)).toBe('returning')
    await reverse(back)
    expect([await anchor.state(withdrawal), await anchor.balances()]).toEqual(['paying_out', before])
    await byPerson(back, match(withdrawal))
    expect(await anchor.state(withdrawal)).toBe('returning')
    await payQueued(anchor.deps)
    expect(await anchor.state(withdrawal)).toBe('returned')
    expect(codeOf(await reverse(back))).toEqual([409, 'action-not-possible'])
  })

  it('by two people where two decided, and whole or not at all if the server dies', async () => {
    const { id: deposit, money } = await anchor.deposit()
    const id = await line({ amount: money, text: 'thank you' })
    await byPerson(id, match(deposit))
    const die = (point: string) => ({
      ...anchor.deps,
      faults: {
        at: (name: string) => {
          if (name === point) throw new Error('the process died')
        },
      },
    })
    const before = await everything()
    await expect(approveLine(die('line:explained'), id, { approve: true, by: other })).rejects.toThrow('died')
    expect(await everything()).toEqual(before)
    await approve(id, other)
    expect((await reverse(id)).json()).toMatchObject({ status: 'matched', pending: { kind: 'reverse' } })
    expect(codeOf(await approve(id, one))).toEqual([409, 'second-person-needed'])
    const decided = await everything()
    await expect(approveLine(die('line:reversed'), id, { approve: true, by: other })).rejects.toThrow('died')
    expect(await everything()).toEqual(decided)
    expect((await approve(id, other)).json()).toMatchObject({ status: 'review' })
    expect(await anchor.state(deposit)).toBe('awaiting_funds')
  })
})

it('whatever is decided and reversed in whatever order, the journal has each booking once', async () => {
  const decision = fc.constantFrom('own', 'duplicate', 'return', 'match', 'reverse', 'approve', 'reject')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ what: decision, by: fc.constantFrom(one, other), tied: fc.boolean() }), {
        minLength: 2,
        maxLength: 12,
      }),
      async steps => {
        const { id: deposit, money } = await anchor.deposit()
        const twin = await line({ amount: money, name: 'Asha Rao' })
        const id = await line({ amount: money, name: 'Asha Rao' })
        const before = await anchor.balances()
        for (const { what, by } of steps) {
          const { deps } = anchor
          const done =
            what === 'reverse'
              ? reverseLine(deps, id, { reason: 'x', by })
              : what === 'approve' || what === 'reject'
                ? approveLine(deps, id, { approve: what === 'approve', by })
                : decideLine(deps, id, by, {
                    ...(what === 'match'
                      ? { decision: 'match', transactionId: deposit }
                      : what === 'return'
                        ? { decision: 'return' }
                        : { decision: 'ignore', as: what, duplicateOf: twin }),
                    reason: 'x',
                  })
          await done.catch((error: unknown) => {
            if (!(error instanceof Error && 'code' in error)) throw error
          })
          await anchor.sendOrders()
        }
        const [row] = await anchor.rows<{ state: string; ignored_as: string | null }>(
          'select state, ignored_as from bank_lines where id = $1',
          [id],
        )
        const after = await anchor.balances()
        const moved = (name: string) =>
          Math.round((Number(after[name] ?? 0) - Number(before[name] ?? 0)) * 100) / 100
        // The bank has the money once, unless the line counts as another one's.
        expect(moved('rail:SEPA EUR')).toBe(row?.ignored_as === 'duplicate' ? -Number(money) : 0)
        const inSuspense = row?.state === 'review' || row?.state === 'returned'
        expect(moved('suspense EUR')).toBe(inSuspense ? 0 : Number(money))
        expect(await anchor.state(deposit)).toBe(row?.state === 'matched' ? 'funded' : 'awaiting_funds')
        await settle(id)
      },
    ),
    { numRuns: process.env.MODE === 'faults' ? 100 : 15 },
  )
}, 300_000)

/** Leaves nothing that a later run would meet. */
async function settle(id: string): Promise<void> {
  await approve(id, 'operator:third', false)
}
