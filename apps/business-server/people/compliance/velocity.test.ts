import type {
  ScreeningCase,
  ScreeningHit,
  VelocityHistory,
  VelocityRule,
} from '@windlass/contracts/anchor/compliance.ts'
import type { VelocityReplay } from '@windlass/contracts/anchor/velocity.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { payQueued } from '../../payments/pay.ts'
import { isTransactionHeld } from '../../payments/hold-payments.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { clearHits } from '../../testing/clear-hits.ts'
import { bindTerms } from '../../transfers/bound-terms.ts'
import { lockTransfer } from '../../transfers/find.ts'
import { linkedTransfers, sealedVelocityKey } from './velocity.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const OPERATOR = 'operator:asha'
const IBAN = 'DE02120300000000202051'
const OTHER_IBAN = 'DE75512108001245126199'

type Given = Pick<VelocityRule, 'kind' | 'hours'> & Partial<VelocityRule>

const history = async () => (await bank.get('/velocity-rules')).json<VelocityHistory>().history

async function setRules(...rules: Given[]) {
  const version = (await history())[0]?.version ?? 0
  const whole = rules.map(rule => ({ count: null, amount: null, ...rule }))
  return bank.asOperator('PUT', '/velocity-rules', { rules: whole, version, by: OPERATOR })
}

/** Nothing was counted or waits. */
async function forget(): Promise<void> {
  await bank.rows('delete from velocity_parties')
  await bank.rows('delete from velocity_movements')
  await clearHits(bank.deps)
  for (const table of ['ledger_payments', 'rail_orders'])
    await bank.rows(`update ${table} set next_try_at = 'infinity' where state = 'queued'`)
}

async function deposit(amount = '20', account = IBAN): Promise<string> {
  const { id, reference, money } = await bank.deposit('sepa', amount)
  const line = { amount: money, text: reference, name: 'Asha Rao', account, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  await payQueued(bank.deps)
  return id
}

const withdrawal = async (dest = IBAN): Promise<string> =>
  (await bank.withdrawal('sepa', { dest, dest_extra: 'BYLADEM1001', dest_name: 'Asha Rao' })).id

/** Who transfers next, with a wallet of their own. */
async function asPerson(centralId: string): Promise<void> {
  const wallet = generateKey().publicKey
  Object.assign(bank, { wallet })
  const { id } = await ensureCustomer(bank.deps, wallet, null)
  await changeCustomer(bank.deps, id, { centralId })
}

const hits = async (): Promise<ScreeningHit[]> =>
  (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()

const hitOf = async (id: string): Promise<ScreeningHit> => {
  const found = (await hits()).find(({ subject }) => subject.id === id)
  if (!found) throw new Error('there is no such hit')
  return found
}

const decide = (id: string, decision: 'clear' | 'confirm') =>
  bank.asOperator('POST', `/screening-hits/${id}/decision`, {
    ...{ decision, reason: 'Salary of three months.', evidence: 'Contract 7', by: OPERATOR },
  })

const isHeld = async (id: string): Promise<boolean> => {
  const rows = await bank.rows<{ wait_code: string | null }>(
    `select wait_code from ledger_payments where transfer_id = $1 and state = 'queued'
      union all select wait_code from rail_orders where transfer_id = $1 and state = 'queued'`,
    [id],
  )
  return rows.some(({ wait_code }) => wait_code === 'screening')
}

const countedHoursAgo = (id: string, hours: number) =>
  bank.rows(`update velocity_movements set at = at - make_interval(secs => $2) where transfer_id = $1`, [
    id,
    hours * 3600,
  ])

describe('velocity rules', () => {
  it('are versions with their author, and what no rule can be is refused', async () => {
    expect(await history()).toEqual([])
    const set = await setRules({ kind: 'customer-sum', hours: 24, amount: '100.50' })
    const [first] = set.json<VelocityHistory>().history
    expect(first).toMatchObject({
      ...{ version: 1, by: OPERATOR },
      rules: [{ kind: 'customer-sum', hours: 24, count: null, amount: '100.5' }],
    })
    const stale = await bank.asOperator('PUT', '/velocity-rules', { rules: [], version: 0, by: OPERATOR })
    expect(stale.json()).toMatchObject({ status: 409, code: 'settings-changed' })
    const refusals: Given[] = [
      { kind: 'customer-sum', hours: 24 },
      { kind: 'customer-count', hours: 24, count: 3, amount: '1' },
      { kind: 'below-limit', hours: 24, count: 3 },
      { kind: 'in-and-out', hours: 24, amount: '0' },
    ]
    for (const rule of refusals)
      expect((await setRules(rule)).json()).toMatchObject({ status: 400, code: 'validation-failed' })
    expect((await setRules({ kind: 'customer-count', hours: 721, count: 1 })).statusCode).toBe(400)
    await setRules()
    expect((await history()).map(({ rules }) => rules.length)).toEqual([0, 1])
  })
})

describe('a velocity rule', () => {
  beforeEach(async () => {
    await forget()
    await setRules()
    await asPerson(`cus_${randomUUID()}`)
  })

  it('about amounts count each asset by itself: units of two are never added', async () => {
    await forget()
    await setRules({ kind: 'customer-sum', hours: 24, amount: '30' })
    await asPerson('cus_two_assets')
    const first = await deposit()
    await bank.rows(`update velocity_movements set asset = 'USDC:G' where transfer_id = $1`, [first])
    const second = await deposit()
    const third = await deposit()
    expect(await Promise.all([first, second, third].map(isHeld))).toEqual([false, false, true])
    expect((await hitOf(third)).velocity).toMatchObject({ amount: '40', count: 2 })
    await setRules({ kind: 'customer-count', hours: 24, count: 3 })
    const fourth = await deposit()
    const { velocity } = await hitOf(fourth)
    expect(velocity).toMatchObject({ amount: '60', count: 4 })
    expect(velocity?.transfers.map(({ asset }) => asset ?? 'first')).toEqual([
      ...['first', 'first', 'first', 'USDC:G'],
    ])
    await setRules()
    await forget()
  })

  it('holds the transfer that exceeds the number in the hours, says what it counted, and a cleared one is paid', async () => {
    await setRules({ kind: 'customer-count', hours: 24, count: 2 })
    const [old, first] = [await deposit(), await deposit()]
    await countedHoursAgo(old, 24)
    await countedHoursAgo(first, 23.9)
    const second = await withdrawal()
    for (const id of [old, first, second]) expect(await isHeld(id)).toBe(false)
    const third = await deposit()
    expect(await isHeld(third)).toBe(true)
    const hit = await hitOf(third)
    expect(hit).toMatchObject({
      ...{ match: null, status: 'waiting', transactions: [third] },
      velocity: {
        ...{ rule: { kind: 'customer-count', hours: 24, count: 2, amount: null }, count: 3, amount: '60' },
        transfers: [
          { id: third, direction: 'deposit', amount: '20' },
          { id: second, direction: 'withdrawal' },
          { id: first },
        ],
      },
    })
    const exported = (await bank.get(`/screening-hits/${hit.id}/case`)).json<ScreeningCase>()
    expect(exported).toMatchObject({ list: null, hit: { velocity: hit.velocity } })
    expect(exported.transactions.map(({ id }) => id)).toEqual([third, second, first])

    expect((await decide(hit.id, 'clear')).json<ScreeningHit>()).toMatchObject({
      ...{ status: 'cleared', decisions: [{ reason: 'Salary of three months.', evidence: 'Contract 7' }] },
    })
    await payQueued(bank.deps)
    expect(await bank.state(third)).toBe('completed')
    expect(await hits()).toEqual([])
  })

  it('holds a sum to the last unit, and nobody else', async () => {
    await setRules({ kind: 'customer-sum', hours: 1, amount: '60' })
    const person = `cus_${randomUUID()}`
    await asPerson(person)
    for (let each = 0; each < 3; each += 1) expect(await isHeld(await deposit())).toBe(false)
    await asPerson('cus_else')
    expect(await isHeld(await deposit('60'))).toBe(false)
    expect(await isHeld(await deposit('10'))).toBe(true)
    // Another wallet of the first person.
    await asPerson(person)
    const fourth = await deposit('10')
    expect((await hitOf(fourth)).velocity).toMatchObject({ count: 4, amount: '70' })
  })

  it('finds many bank accounts of one customer, and many customers with one wallet', async () => {
    await setRules(
      { kind: 'customer-accounts', hours: 720, count: 1 },
      { kind: 'wallet-customers', hours: 720, count: 1 },
    )
    expect([await isHeld(await deposit('10', IBAN)), await isHeld(await deposit('10', IBAN))]).toEqual([
      false,
      false,
    ])
    const second = await deposit('10', OTHER_IBAN)
    expect((await hitOf(second)).velocity).toMatchObject({ rule: { kind: 'customer-accounts' }, count: 2 })
    const { wallet } = bank
    await asPerson('cus_other_wallet')
    Object.assign(bank, { wallet })
    await bank.rows(`update velocity_movements set customer = 'someone else'`)
    const shared = await deposit('10', IBAN)
    const found = (await hits()).filter(({ subject }) => subject.id === shared)
    expect(found.map(({ velocity }) => velocity?.rule.kind)).toContain('wallet-customers')
  })

  it('finds many wallets of one customer', async () => {
    await setRules({ kind: 'customer-wallets', hours: 720, count: 1 })
    const person = `cus_${randomUUID()}`
    await asPerson(person)
    expect([await isHeld(await deposit('10')), await isHeld(await deposit('10'))]).toEqual([false, false])
    await asPerson(person)
    expect((await hitOf(await deposit('10'))).velocity).toMatchObject({
      ...{ rule: { kind: 'customer-wallets' }, count: 2 },
    })
  })

  it('counts no transfer under a wallet whose logins have memos: it is many customers’', async () => {
    const walletsOf = (id: string) =>
      bank.rows("select key from velocity_parties where kind = 'wallet' and transfer_id = $1", [id])
    expect(await walletsOf(await deposit())).toEqual([{ key: bank.wallet }])
    const { id, reference, money } = await bank.deposit()
    await bank.rows("update transfers set account_memo = '7' where id = $1", [id])
    const { db } = bank.deps.database
    await bindTerms(bank.deps, db, await lockTransfer(db, id))
    const line = { amount: money, text: reference, name: 'Asha Rao', account: IBAN, bankReference: id }
    await bank.read('SEPA', `${id}.xml`, camt053([line]))
    await payQueued(bank.deps)
    expect(await bank.rows('select asset from velocity_movements where transfer_id = $1', [id])).toHaveLength(
      1,
    )
    expect(await walletsOf(id)).toEqual([])
  })

  it('links transfers newest first', async () => {
    const ids = [await deposit(), await deposit(), await deposit(), await deposit()]
    const [newest = '', ...others] = ids
    for (const [index, id] of ids.entries()) await countedHoursAgo(id, index)
    expect(await linkedTransfers(bank.deps.database.db, [newest])).toEqual(others)
  })

  it('adds up what customers moved who share a bank account', async () => {
    await setRules({ kind: 'linked-sum', hours: 24, amount: '45' })
    await asPerson('cus_linked_a')
    expect(await isHeld(await deposit('20'))).toBe(false)
    await asPerson('cus_linked_b')
    expect(await isHeld(await deposit('20'))).toBe(false)
    await asPerson('cus_alone')
    expect(await isHeld(await deposit('20', OTHER_IBAN))).toBe(false)
    await asPerson('cus_linked_c')
    const third = await deposit('10')
    expect((await hitOf(third)).velocity).toMatchObject({ count: 3, amount: '50' })
  })

  it('knows customers who share an address, however it is written, and names them in a case', async () => {
    await setRules({ kind: 'linked-sum', hours: 24, amount: '25' })
    const livesAt = async (address: string) => {
      await asPerson(`cus_${randomUUID()}`)
      const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
      await changeCustomer(bank.deps, id, { fields: { address, city: 'Pune', address_country_code: 'IND' } })
    }
    await livesAt('1, Main Street')
    const first = await deposit('20', IBAN)
    expect(await isHeld(first)).toBe(false)
    await livesAt('2 Main Street')
    expect(await isHeld(await deposit('20', OTHER_IBAN))).toBe(false)
    await livesAt('1 MAIN STREET')
    const shared = await deposit('10', 'DE89370400440532013000')
    expect((await hitOf(shared)).velocity).toMatchObject({ count: 2, amount: '30' })
    const [found] = (await bank.get('/cases?status=open')).json<{ id: string }[]>()
    expect((await bank.get(`/cases/${found?.id}`)).json<{ linked: string[] }>().linked).toContain(first)
  })

  it('finds a large transfer after a quiet time, and not the first one', async () => {
    await setRules({ kind: 'after-quiet', hours: 4_000, amount: '15' })
    const first = await deposit('20')
    expect(await isHeld(first)).toBe(false)
    await bank.rows(`update transfers set created_at = created_at - interval '3999 hours' where id = $1`, [
      first,
    ])
    expect(await isHeld(await deposit('20'))).toBe(false)
    await bank.rows(`update transfers set created_at = created_at - interval '4001 hours'`)
    expect(await isHeld(await deposit('15'))).toBe(false)
    await bank.rows(`update transfers set created_at = created_at - interval '4001 hours'`)
    expect((await hitOf(await deposit('15.5'))).velocity).toMatchObject({ count: 1, amount: '15.5' })
  })

  it('finds transfers of the night in the journal’s time zone', async () => {
    await setRules({ kind: 'night-count', hours: 48, count: 1 })
    const at = async (time: string) => {
      const now = new Date(time)
      const { clock } = bank.deps
      bank.deps.clock = { ...clock, now: () => now }
      const id = await deposit('10')
      bank.deps.clock = clock
      return id
    }
    const day = new Date().toISOString().slice(0, 10)
    expect(await isHeld(await at(`${day}T05:00:00Z`))).toBe(false)
    expect(await isHeld(await at(`${day}T01:00:00Z`))).toBe(false)
    expect((await hitOf(await at(`${day}T04:59:59Z`))).velocity).toMatchObject({ count: 2 })
  })

  it('is tried on the last transfers before it is set, and holds nothing by that', async () => {
    const [first, second, third] = [await deposit(), await deposit(), await deposit()]
    const tried = await bank.get('/velocity-rules/replay?kind=customer-sum&hours=24&amount=30')
    expect(tried.json<VelocityReplay>()).toMatchObject({
      ...{ transfers: 3, held: 2 },
      examples: [
        { id: third, count: 3, amount: '60' },
        { id: second, count: 2, amount: '40' },
      ],
    })
    expect(await hits()).toEqual([])
    expect(await Promise.all([first, second, third].map(isHeld))).toEqual([false, false, false])
    // It says the same as the rule does once it is set.
    await setRules({ kind: 'customer-sum', hours: 24, amount: '30' })
    const fourth = await deposit()
    expect((await hitOf(fourth)).velocity).toMatchObject({ count: 4, amount: '80' })
    const wrong = await bank.get('/velocity-rules/replay?kind=customer-sum&hours=24')
    expect(wrong.statusCode).toBe(400)
    expect((await bank.get('/velocity-rules/replay?kind=customer-count&hours=721&count=1')).statusCode).toBe(
      400,
    )
  })

  it('finds several customers with one bank account, whatever the spaces, at either end', async () => {
    await setRules(
      { kind: 'account-customers', hours: 720, count: 1 },
      { kind: 'account-sum', hours: 1, amount: '1000' },
    )
    await asPerson('cus_a')
    expect(await isHeld(await deposit())).toBe(false)
    expect(await isHeld(await withdrawal())).toBe(false)
    await asPerson('cus_b')
    expect(await isHeld(await deposit('20', OTHER_IBAN))).toBe(false)
    const shared = await withdrawal(IBAN)
    expect((await hitOf(shared)).velocity).toMatchObject({
      ...{ rule: { kind: 'account-customers' }, count: 2, amount: '60' },
    })
    const kept = await bank.rows("select key from velocity_parties where kind = 'account'")
    expect(JSON.stringify(kept)).not.toContain(IBAN)
    const { rotating } = withNewerKey(bank.deps)
    expect(await rotate(rotating, sealedVelocityKey)).toBe(1)
    bank.deps.sealer = rotating.sealer
    await asPerson('cus_c')
    expect((await hitOf(await deposit())).velocity?.count).toBe(3)
  })

  it('finds transfers just below a limit, and money that leaves as fast as it came', async () => {
    await setRules(
      { kind: 'below-limit', hours: 48, count: 2, amount: '30' },
      { kind: 'in-and-out', hours: 2, amount: '19' },
    )
    // 26.99 is less than nine tenths, and 30 is the limit.
    for (const amount of ['27', '29.99', '26.99', '30'])
      expect(await isHeld(await deposit(amount))).toBe(false)
    const third = await deposit('29')
    expect((await hitOf(third)).velocity).toMatchObject({
      rule: { kind: 'below-limit' },
      count: 3,
      amount: '85.99',
    })
    await asPerson('cus_fast')
    const into = await deposit('20')
    const out = await withdrawal()
    expect((await hitOf(out)).velocity).toMatchObject({
      amount: '20',
      transfers: [{ id: out }, { id: into }],
    })
    await asPerson('cus_slow')
    await countedHoursAgo(await deposit('20'), 2)
    expect(await isHeld(await withdrawal())).toBe(false)
  })

  it('counts each of many transfers that leave at once, and holds exactly those beyond it', async () => {
    await setRules({ kind: 'customer-count', hours: 1, count: 3 })
    const ids = await Promise.all(Array.from({ length: 8 }, () => bank.deposit()))
    for (const { id, reference, money } of ids) {
      const line = { amount: money, text: reference, name: 'Asha Rao', account: IBAN, bankReference: id }
      await bank.read('SEPA', `${id}.xml`, camt053([line]))
    }
    const beside = await BankAnchor.start(bank)
    const held = await Promise.all(
      ids.flatMap(({ id }) =>
        [bank, beside].map(({ deps }) =>
          deps.database.db.transaction().execute(tx => isTransactionHeld(deps, tx, id, { goesBack: false })),
        ),
      ),
    )
    await beside.release()
    expect(held.filter(Boolean)).toHaveLength(10)
    const found = await hits()
    expect(found.map(({ velocity }) => velocity?.count).toSorted()).toEqual([4, 5, 6, 7, 8])
  })

  it('counts once and holds, wherever the process is killed', async () => {
    await setRules({ kind: 'customer-count', hours: 1, count: 1 })
    await deposit()
    const { faults } = bank.deps
    bank.deps.faults = {
      at: point => {
        if (point === 'payment:screened') throw new Error('killed')
      },
    }
    const id = await deposit()
    bank.deps.faults = faults
    expect(await hits()).toEqual([])
    await bank.rows('update ledger_payments set next_try_at = now() where transfer_id = $1', [id])
    await payQueued(bank.deps)
    expect(await isHeld(id)).toBe(true)
    expect((await hitOf(id)).velocity?.count).toBe(2)
    expect(await hits()).toHaveLength(1)
  })

  it('that a person confirms keeps the money until they send it back, of deposits and withdrawals', async () => {
    await setRules({ kind: 'customer-count', hours: 1, count: 1 })
    await deposit()
    const refund = (id: string) =>
      bank.asOperator('POST', `/transactions/${id}/actions`, {
        ...{ kind: 'refund', reason: 'Not explained.', by: OPERATOR },
      })
    const [into, out] = [await deposit(), await withdrawal()]
    for (const [id, done] of [
      [into, 'returning'],
      [out, 'returning'],
    ] as const) {
      expect((await refund(id)).json()).toMatchObject({ code: 'action-not-possible' })
      await decide((await hitOf(id)).id, 'confirm')
      // What was held is looked at again, and held by the confirmed hit.
      await payQueued(bank.deps)
      await bank.sendOrders()
      expect(await isHeld(id)).toBe(true)
      expect((await refund(id)).json()).toMatchObject({ status: 'done' })
      expect(await bank.state(id)).toBe(done)
    }
    await bank.sendOrders()
    await payQueued(bank.deps)
    expect(await bank.state(out)).toBe('returned')
    expect(await bank.rows('select state from rail_orders where transfer_id = $1', [into])).toEqual([
      { state: 'sent' },
    ])
  })

  it('forgets whose a transfer was after 31 days, and never counts it again', async () => {
    await setRules({ kind: 'customer-count', hours: 720, count: 1 })
    const old = await deposit()
    await countedHoursAgo(old, 31 * 24)
    const next = await deposit()
    expect(await isHeld(next)).toBe(false)
    expect(await bank.rows('select from velocity_parties where transfer_id = $1', [old])).toEqual([])
    expect(await bank.rows('select at from velocity_movements where transfer_id = $1', [old])).toEqual([
      { at: null },
    ])
  })
})
