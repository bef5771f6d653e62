import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { decide as recordDecision } from '../people/customers/decide.ts'
import { deleteCustomer } from '../people/customers/sep12.ts'
import { detachCustomer } from '../transfers/detach-customer.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { BankAnchor, camt053, IBAN, mt940 } from '../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const lines = () =>
  anchor.rows<{ id: string; state: string; why: string; transfer_id: string | null }>(
    'select id, state, why, transfer_id from bank_lines order by created_at, position',
  )
const newest = async () => (await lines()).at(-1) ?? { id: '', state: 'none', why: '', transfer_id: null }

describe('a statement', () => {
  it('in camt.053 funds the deposits that it names, and the journal has the money', async () => {
    const [one, other] = [await anchor.deposit(), await anchor.deposit()]
    const answer = await anchor.read(
      'SEPA',
      'one.xml',
      camt053([
        { amount: one.money, text: `Deposit ${one.reference}`, bankReference: 'B1', name: 'Asha Rao' },
        { amount: other.money, endToEndId: other.reference, bankReference: 'B2' },
      ]),
    )
    expect([answer.statusCode, answer.json()]).toMatchObject([
      201,
      { lines: 2, newLines: 2, format: 'camt.053', account: IBAN, by: 'key:k1', bookedTo: '2026-11-20' },
    ])
    expect([await anchor.state(one.id), await anchor.state(other.id)]).toEqual(['funded', 'funded'])
    expect(await anchor.balances()).toMatchObject({ 'rail:SEPA EUR': String(2 * Number(one.money)) })
  })

  it('in MT940 funds a deposit, also where the bank broke its reference', async () => {
    const { id, reference, money } = await anchor.deposit()
    const [head, tail] = [reference.slice(0, 9), reference.slice(9)]
    const booking = [
      `:61:2611201120CR${money.replace('.', ',')}NTRFNONREF//B3`,
      `:86:166?00GUTSCHRIFT?20SVWZ+Einzahlung ${head}?21${tail}?30COBADEFFXXX?31${IBAN}?32Asha?33 Rao`,
    ]
    const closing = (1000 + Number(money)).toFixed(2).replace('.', ',')
    const answer = await anchor.read('SEPA', 'one.sta', mt940(booking, closing))
    expect([answer.statusCode, answer.json().format]).toEqual([201, 'mt940'])
    expect(await anchor.state(id)).toBe('funded')
    const [line] = (await anchor.get('/statement-lines?limit=1')).json()
    expect(line).toMatchObject({ bankReference: 'B3', party: { name: 'Asha Rao', account: IBAN } })
    const [stored] = await anchor.rows<{ row: string }>(
      'select bank_lines::text as row from bank_lines where id = $1',
      [line.id],
    )
    expect(stored?.row).not.toMatch(/Asha|DE8937.*DE8937/)
  })

  it('in CSV is read by the columns that were saved for the bank', async () => {
    const { id, reference, money } = await anchor.deposit('neft')
    const csv = `HDFC Bank\nDate,Narration,Ref,Withdrawal,Deposit\n20/11/26,"NEFT CR ${reference}, Asha",N1,,"${Number(money).toLocaleString('en-IN')}"\n21-Nov-2026,Charges,N2,5.90,\n`
    const refused = await anchor.read('NEFT', 'november.csv', csv)
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'statement-refused'])
    const columns = {
      ...{
        delimiter: ',',
        skipLines: 1,
        encoding: 'utf-8',
        decimal: '.',
        date: 'Date',
        dateFormat: 'day-month-year',
      },
      ...{ amountIn: 'Deposit', amountOut: 'Withdrawal', text: ['Narration'], bankReference: 'Ref' },
    }
    const saved = await anchor.send('PUT', '/rails/NEFT/csv-columns', columns)
    expect([saved.statusCode, saved.json().history]).toMatchObject([200, [{ columns, by: 'key:k1' }]])
    const broken = await anchor.read('NEFT', 'broken.csv', csv.replace('Charges', '"Charges'))
    expect(broken.json()).toMatchObject({ code: 'statement-refused' })
    const answer = await anchor.read('NEFT', 'november.csv', csv)
    expect(answer.json()).toMatchObject({
      lines: 2,
      newLines: 2,
      bookedFrom: '2026-11-20',
      bookedTo: '2026-11-21',
    })
    expect(await anchor.state(id)).toBe('funded')
    expect(await newest()).toMatchObject({ state: 'review', why: 'It has no reference of a payout.' })
  })

  it('counts once, also in another file, and funds nothing twice', async () => {
    const { id, reference, money } = await anchor.deposit()
    const booking = { amount: money, text: reference, bankReference: 'B7' }
    const file = camt053([booking], { opening: 1000 })
    expect((await anchor.read('SEPA', 'a.xml', file)).statusCode).toBe(201)
    const again = await anchor.read('SEPA', 'a.xml', file)
    expect([again.statusCode, again.json().code]).toEqual([409, 'statement-already-read'])
    const wider = await anchor.read(
      'SEPA',
      'b.xml',
      camt053([booking, { amount: '5.00', bankReference: 'B8' }], { opening: 1000 }),
    )
    expect(wider.json()).toMatchObject({ lines: 2, newLines: 1 })
    const paid = await anchor.rows('select 1 from ledger_payments where transfer_id = $1', [id])
    expect(paid).toHaveLength(1)
  })

  const good = () => camt053([{ amount: '10.00', bankReference: 'X1' }])
  it.each<[string, () => string, RegExp]>([
    ['of another account', () => camt053([], { iban: 'DE02120300000000202051' }), /of the account DE0212/],
    ['in a foreign currency', () => camt053([{ amount: '1.00', currency: 'USD' }]), /Line 1 is in USD/],
    ['that is cut off', () => good().slice(0, -60), /not complete XML/],
    ['that lacks a line', () => camt053([{ amount: '10.00' }], { closing: 1030 }), /20 EUR is missing/],
    [
      'with entities of its own',
      () => good().replace('?>', '?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>'),
      /document type/,
    ],
    ['with an entity that is not declared', () => good().replace('X1', '&xxe;'), /not complete XML/],
    [
      'with elements without end',
      () => `${good().slice(0, 400)}${'<a>'.repeat(50)}`,
      /too deeply|not complete/,
    ],
    ['with an amount below zero', () => good().replace('>10.00<', '>-10.00<'), /no positive amount/],
    [
      'with an amount beyond what the ledger holds',
      () => good().replace('>10.00<', '>999999999999.00<'),
      /larger than the ledger can hold/,
    ],
    [
      'with a balance beyond what the ledger holds',
      () => good().replace(/>\d+000\.00</, '>999999999999999.00<'),
      /larger than the ledger can hold/,
    ],
    [
      'that is half an MT940',
      () => mt940([':61:261120C10,00NTRFNONREF'], '1').split(':62F')[0] ?? '',
      /cut off/,
    ],
    ['with a booking that is none', () => mt940([':61:money'], '1010,00'), /has no booking/],
    [
      'with several bookings that are none, though they may come to nothing',
      () => mt940([':61:money', ':61:the same money back'], '1000,00'),
      /has no booking/,
    ],
    ['with nothing in it', () => '', /empty/],
    ['with rows but no columns saved', () => 'a,b\n1,2\n', /Save the columns/],
  ])('%s is refused, and nothing changes', async (_, file, why) => {
    const before = [await lines(), await anchor.rows('select id from bank_statements')]
    const answer = await anchor.read('SEPA', 'wrong', file())
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'statement-refused'])
    expect(answer.json().detail).toMatch(why)
    expect([await lines(), await anchor.rows('select id from bank_statements')]).toEqual(before)
  })

  it('of two accounts counts for its own; the other one, and what moved nothing, is named', async () => {
    const other = mt940([':61:2611201120C5,00NTRFNONREF'], '1005,00').replace(
      '37040044/0532013000',
      'DE02120300000000202051',
    )
    const own = mt940([':61:2611201120C7,00NTRFNONREF', ':61:nothing'], '1007,00')
    for (const [name, file] of Object.entries({
      first: other + own,
      last: own.replace(':28C:1/1', ':28C:2/1') + other,
    })) {
      await anchor.forgetStatements()
      const answer = (await anchor.read('SEPA', name, file)).json()
      expect(answer).toMatchObject({ lines: 1, newLines: 1, leftOut: expect.any(Array) })
      expect(answer.leftOut).toHaveLength(2)
      expect(answer.leftOut).toEqual(
        expect.arrayContaining([
          { reason: 'other-account', detail: expect.stringContaining('DE02120300000000202051') },
          { reason: 'unreadable', detail: expect.stringContaining('has no booking: “nothing”') },
        ]),
      )
    }
  })

  it('of more than the limit is refused, and a rail without bank files takes none', async () => {
    expect((await anchor.upload('SEPA', 'huge', Buffer.alloc(24_000_001, '<'))).statusCode).toBe(413)
    expect((await anchor.upload('UPI', 'a.xml', good())).statusCode).toBe(404)
  })
})

describe('a line that is not as agreed', () => {
  const under = async (booking: Parameters<typeof camt053>[0][number]) => {
    await anchor.read('SEPA', 'review.xml', camt053([{ bankReference: `R${Math.random()}`, ...booking }]))
    return newest()
  }
  const decide = (id: string, decision: object) =>
    anchor.asOperator('POST', `/statement-lines/${id}/decide`, { ...decision, by: 'operator:one' })

  it('waits for a decision: another amount can only be returned', async () => {
    const { id, reference } = await anchor.deposit()
    const line = await under({ amount: '1.00', text: reference, name: 'Asha Rao', account: IBAN })
    expect(line).toMatchObject({
      state: 'review',
      transfer_id: id,
      why: expect.stringContaining('was agreed'),
    })
    expect(await anchor.state(id)).toBe('awaiting_funds')
    const matched = await decide(line.id, { decision: 'match', transactionId: id, reason: 'looks right' })
    expect([matched.statusCode, matched.json().detail]).toEqual([
      400,
      expect.stringContaining('Return the money'),
    ])
    const returned = await decide(line.id, { decision: 'return', reason: 'wrong amount' })
    expect([returned.statusCode, returned.json()]).toMatchObject([
      200,
      { status: 'returned', decidedBy: 'operator:one', transactionId: id, reason: 'wrong amount' },
    ])
    expect(await anchor.state(id)).toBe('returning')
    const orders = await anchor.rows('select kind, amount from rail_orders where transfer_id = $1', [id])
    expect(orders).toEqual([{ kind: 'return', amount: '1.0000000' }])
  })

  it('goes back from the account to which it came, also with the reference of a deposit over another one', async () => {
    const { id, reference, money } = await anchor.deposit('ach')
    const line = await under({ amount: money, text: reference })
    expect(line).toMatchObject({ state: 'review', why: expect.stringContaining('over another account') })
    await decide(line.id, { decision: 'return', reason: 'wrong account' })
    const orders = await anchor.rows(
      `select rail, currency from rail_orders where destination->>'paymentId' = $1`,
      [line.id],
    )
    expect(orders).toEqual([{ rail: 'SEPA', currency: 'EUR' }])
    expect(await anchor.state(id)).toBe('awaiting_funds')
  })

  it('waits where the payer is someone else, by the customer’s document where that is known', async () => {
    const { deps } = anchor
    const { id } = await ensureCustomer(deps, anchor.wallet, null)
    const paidBy = async (name: string) => {
      const { reference, money } = await anchor.deposit()
      const { state, why } = await under({ amount: money, text: reference, name })
      return state === 'review' && why === 'The payer has another name than the customer.' ? 'review' : state
    }
    expect(await paidBy('Any Body')).toBe('matched')
    await changeCustomer(deps, id, { centralId: 'cus_1', fields: { first_name: 'Asha', last_name: 'Rao' } })
    expect([await paidBy('RAO, Asha'), await paidBy('Boris Badov')]).toEqual(['matched', 'review'])
    const [at, identity] = [
      new Date(),
      { centralId: 'cus_1', status: 'ACCEPTED' as const, verifiedName: 'Boris Badov' },
    ]
    const decision = { ...identity, provider: null, sessionId: null, completedAt: at, heardAt: at }
    await deps.database.db.transaction().execute(tx => recordDecision(tx, deps.sealer, decision))
    expect([await paidBy('RAO, Asha'), await paidBy('Boris Badov')]).toEqual(['review', 'matched'])
    await changeCustomer(deps, id, { fields: { 'organization.name': 'Rao Trading Ltd' } })
    expect([await paidBy('RAO TRADING'), await paidBy('Other Trading')]).toEqual(['matched', 'review'])
    await deleteCustomer(deps, id, detachCustomer)
  })

  it('may be part of a booking that another file has as one amount', async () => {
    const file = camt053([{ amount: '30.00', bankReference: 'SPLIT' }], { opening: 1000 })
    await anchor.read('SEPA', 'whole.xml', file)
    expect((await newest()).why).toBe('It has no reference of a transaction.')
    const parts = ['10.00', '20.00'].map(amount => `<TxDtls><Amt Ccy="EUR">${amount}</Amt></TxDtls>`).join('')
    await anchor.read('SEPA', 'parts.xml', file.replace('<TxDtls></TxDtls>', parts))
    expect((await lines()).slice(-2)).toMatchObject(
      Array(2).fill({ state: 'review', why: 'It may be the same booking as another line.' }),
    )
  })

  it('is matched to the deposit that the operator names, once', async () => {
    const { id, money } = await anchor.deposit()
    const line = await under({ amount: money, text: 'thank you', day: '2026-11-23' })
    const candidates = await anchor.get(`/statement-lines/${line.id}/candidates`)
    expect(candidates.json().map((each: { transactionId: string }) => each.transactionId)).toContain(id)
    const before = await anchor.balances()
    const decision = { decision: 'match', transactionId: id, reason: 'the customer called' }
    // Nothing ties the two.
    expect((await decide(line.id, decision)).json().pending).toMatchObject({ transactionId: id })
    const approval = { approve: true, by: 'operator:other' }
    await anchor.asOperator('POST', `/statement-lines/${line.id}/approval`, approval)
    expect(await anchor.state(id)).toBe('funded')
    expect((await anchor.balances())['rail:SEPA EUR']).toBe(before['rail:SEPA EUR'])
    const again = await decide(line.id, decision)
    expect([again.statusCode, again.json().code]).toEqual([409, 'statement-line-decided'])
  })

  it('is the business’s own, or a duplicate that never was', async () => {
    const first = await under({ amount: '4.00', text: 'once' })
    const before = await anchor.balances()
    const own = await under({ amount: '3.00', text: 'interest' })
    const interest = { decision: 'ignore', as: 'own', account: 'interest', reason: 'interest' }
    expect((await decide(own.id, { ...interest, account: 'customers' })).statusCode).toBe(400)
    expect((await decide(own.id, { ...interest, decision: 'return' })).statusCode).toBe(400)
    expect((await decide(own.id, interest)).json()).toMatchObject({ account: 'interest' })
    const unnamed = await under({ amount: '2.00', text: 'of a client of an earlier release' })
    await decide(unnamed.id, { decision: 'ignore', as: 'own', reason: 'ours' })
    const twice = await under({ amount: '4.00', text: 'again' })
    await decide(twice.id, {
      ...{ decision: 'ignore', as: 'duplicate', duplicateOf: first.id },
      reason: 'the bank listed it twice',
    })
    const after = await anchor.balances()
    const change = (name: string) => Number(after[name] ?? 0) - Number(before[name] ?? 0)
    const accounts = ['rail:SEPA EUR', 'interest EUR', 'kept EUR', 'suspense EUR']
    expect(accounts.map(change)).toEqual([5, -3, -2, 0])
    const open = await under({ amount: '5.00' })
    expect((await decide(open.id, { decision: 'ignore', reason: 'no' })).statusCode).toBe(400)
    expect((await decide('none', { decision: 'return', reason: 'no' })).statusCode).toBe(404)
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions).toContainEqual({
      kind: 'review-waiting',
      subject: 'statement-lines',
      detail: expect.stringMatching(/bank statements? waits? for a decision/),
      spanish: expect.any(String),
    })
    expect((await anchor.get('/statement-lines?status=review')).json()).toContainEqual(
      expect.objectContaining({ id: open.id, status: 'review' }),
    )
  })
})
