import type { CustomerRating, RiskRules } from '@windlass/contracts/anchor/risk-rating.ts'
import type { CustomerAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { removeDue } from '../../workspace/retention/remove-due.ts'
import { rotate } from '../../testing/newer-key.ts'
import { findTransfer } from '../../transfers/find.ts'
import { missingTravelData, withTravelData } from '../../transfers/travel-data.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { sealedRatingNotes } from './notes.ts'

const OPERATOR = 'operator:asha'
let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.config.anchor.plan.regions.push('AE', 'DE', 'TR', 'US')
})
afterAll(() => bank.close())
beforeEach(() => setRules([]))

const whole = { limitPercent: 100, asksSourceOfFunds: false, reviewMonths: 36 }
const measures = { low: whole, normal: whole, high: { ...whole, reviewMonths: 12 } }

async function setRules(rules: RiskRules['rules'], over: Partial<RiskRules['measures']> = {}) {
  const { history } = (await bank.get('/risk-rules')).json<{ history: { version: number }[] }>()
  const body = { rules: { rules, measures: { ...measures, ...over } }, by: OPERATOR }
  return bank.asOperator('PUT', '/risk-rules', { ...body, version: history[0]?.version ?? 0 })
}

/** Who transfers next, with a wallet of their own. */
async function customer(fields: Record<string, string> = {}): Promise<string> {
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, {
    ...{ centralId: `cus_${id}`, fields: { first_name: 'Asha', last_name: 'Rao', ...fields } },
  })
  return id
}
const ratingsOf = async (id: string) =>
  (await bank.get(`/customers/${id}/ratings`)).json<{ ratings: CustomerRating[] }>().ratings
const ratingOf = async (id: string) => (await ratingsOf(id))[0]
const review = (id: string, atLeast: string | null, note = 'Looked at the documents.') =>
  bank.asOperator('POST', `/customers/${id}/rating`, { atLeast, note, by: OPERATOR })

describe('a customer is rated when a transaction is agreed', () => {
  it('by where they live, whose document they have, and what they are; the highest counts', async () => {
    await setRules([
      { when: 'residence', countries: ['AE', 'TR'], rating: 'high' },
      { when: 'document', countries: ['TR'], rating: 'normal' },
      { when: 'person', rating: 'low' },
    ])
    const low = await customer()
    await bank.deposit()
    expect(await ratingOf(low)).toMatchObject({ rating: 'low', reasons: ['person'], by: 'rules' })
    const high = await customer({ address_country_code: 'ARE', id_country_code: 'TUR' })
    await bank.deposit()
    expect(await ratingOf(high)).toMatchObject({ rating: 'high', reasons: ['residence'] })
    const organization = await customer({ first_name: '', last_name: '', 'organization.name': 'Rao Ltd' })
    await bank.deposit()
    expect(await ratingOf(organization)).toMatchObject({ rating: 'normal', reasons: [] })
  })

  it('again when they move, and each rating that they had stays', async () => {
    await setRules([{ when: 'residence', countries: ['AE'], rating: 'high' }])
    const id = await customer({ address_country_code: 'DEU' })
    await bank.deposit()
    await bank.deposit()
    await changeCustomer(bank.deps, id, { fields: { address_country_code: 'ARE' } })
    await bank.deposit()
    expect((await ratingsOf(id)).map(({ rating }) => rating)).toEqual(['high', 'normal'])
    const listed = (await bank.get('/customer-ratings?rating=high')).json<CustomerRating[]>()
    expect(listed.map(each => each.customer)).toContain(id)
  })

  it('with a share of the limits of their tier', async () => {
    const none = { transaction: null, day: null, month: null }
    const planned = plannedSettings(bank.deps.config.anchor.plan)
    const tiers = { standard: { ...none, transaction: '30' }, enhanced: none }
    const settings = { ...planned, limits: { ...planned.limits, tiers } }
    const set = await bank.asOperator('PUT', '/settings', { settings, version: 0, by: OPERATOR })
    expect(set.statusCode).toBe(200)
    await setRules([{ when: 'residence', countries: ['AE'], rating: 'high' }], {
      high: { ...measures.high, limitPercent: 50 },
    })
    await customer({ address_country_code: 'DEU' })
    expect((await bank.deposit('sepa', '20')).reference).not.toBe('')
    await customer({ address_country_code: 'ARE' })
    await expect(bank.deposit('sepa', '20')).rejects.toThrow('one transaction may be 15')
    expect((await bank.deposit('sepa', '15')).reference).not.toBe('')
    await bank.asOperator('PUT', '/settings', { settings: planned, version: 1, by: OPERATOR })
  })

  it('with the share of the highest rating of all accounts of the person', async () => {
    const none = { transaction: null, day: null, month: null }
    const planned = plannedSettings(bank.deps.config.anchor.plan)
    const tiers = { standard: { ...none, transaction: '30' }, enhanced: none }
    const settings = { ...planned, limits: { ...planned.limits, tiers } }
    const set = (given: object, version: number) =>
      bank.asOperator('PUT', '/settings', { settings: given, version, by: OPERATOR })
    expect((await set(settings, 2)).statusCode).toBe(200)
    await setRules([{ when: 'residence', countries: ['AE'], rating: 'high' }], {
      high: { ...measures.high, limitPercent: 50 },
    })
    const { customerRegistry } = bank.deps
    const known = { customerId: 'cus_two_accounts', status: 'ACCEPTED' as const, walletVerified: true }
    bank.deps.customerRegistry = { ...customerRegistry, byWallet: async () => known }
    const of = async (country: string) => {
      const id = await customer({ address_country_code: country })
      await changeCustomer(bank.deps, id, { centralId: known.customerId })
      return id
    }
    const high = await of('ARE')
    await bank.deposit('sepa', '10')
    const low = await of('DEU')
    await bank.deposit('sepa', '10')
    expect([await ratingOf(high), await ratingOf(low)]).toMatchObject([
      { rating: 'high' },
      { rating: 'normal' },
    ])
    await expect(bank.deposit('sepa', '20')).rejects.toThrow('one transaction may be 15')
    bank.deps.customerRegistry = customerRegistry
    await set(planned, 3)
  })

  it('by what they moved in 30 days, and is asked where the money comes from where the rules say so', async () => {
    const asks = { high: { ...measures.high, asksSourceOfFunds: true } }
    await setRules([{ when: 'volume-above', amount: '30', rating: 'high' }], asks)
    const id = await customer()
    const { id: first } = await bank.deposit()
    const missing = async () => {
      const transfer = await findTransfer(bank.deps.database.db, first)
      return transfer && missingTravelData(bank.deps, transfer)
    }
    expect(await missing()).toEqual([])
    await bank.rows(
      `insert into velocity_movements (transfer_id, direction, amount, customer, at) values ($1, 'deposit', 31, 'x', now())`,
      [first],
    )
    await bank.rows(
      `insert into velocity_parties (kind, key, transfer_id) values ('customer', 'account ' || $2 || ' ', $1)`,
      [first, bank.wallet],
    )
    expect(await missing()).toEqual(['source_of_funds'])
    expect(await ratingOf(id)).toMatchObject({ rating: 'high', reasons: ['volume-above'] })
    await bank.rows("update transfers set state = 'identifying', sep = '6', customer_id = $2 where id = $1", [
      ...[first, id],
    ])
    const answered = () => withTravelData(bank.deps, { id, status: 'ACCEPTED' } as CustomerAnswer)
    expect(await answered()).toMatchObject({ status: 'NEEDS_INFO', fields: { source_of_funds: {} } })
    await changeCustomer(bank.deps, id, { fields: { source_of_funds: 'Salary' } })
    expect(await missing()).toEqual([])
    expect(await answered()).toMatchObject({ status: 'ACCEPTED' })
  })
})

describe('a person who looks at a customer', () => {
  it('may say that the risk is at least so high, and the day of the next review follows', async () => {
    const id = await customer()
    await bank.deposit()
    expect(await ratingOf(id)).toMatchObject({ rating: 'normal', atLeast: null })
    expect((await review(id, 'high')).json()).toMatchObject({ rating: 'high', atLeast: 'high', by: OPERATOR })
    await bank.deposit()
    const [newest] = await ratingsOf(id)
    expect(newest).toMatchObject({ rating: 'high', atLeast: 'high', note: 'Looked at the documents.' })
    expect((await review('00000000-0000-4000-8000-000000000000', 'high')).statusCode).toBe(404)
  })
})

describe('what a person said of a customer', () => {
  const none = { transaction: null, day: null, month: null }
  const limited = async (version: number) => {
    const planned = plannedSettings(bank.deps.config.anchor.plan)
    const tiers = { standard: { ...none, transaction: '30' }, enhanced: none }
    const settings = { ...planned, limits: { ...planned.limits, tiers } }
    const set = (given: object, before: number) =>
      bank.asOperator('PUT', '/settings', { settings: given, version: before, by: OPERATOR })
    expect((await set(settings, version)).statusCode).toBe(200)
    await setRules([], { high: { ...measures.high, limitPercent: 50 } })
    return () => set(planned, version + 1)
  }
  const erase = async (id: string) => {
    const headers = { 'x-api-key': bank.deps.config.secrets.link }
    const answer = await bank.app.server.app.inject({ method: 'DELETE', url: `/customer/${id}`, headers })
    expect(answer.statusCode).toBe(200)
  }
  const again = async (fields: object = {}) => {
    const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
    await changeCustomer(bank.deps, id, { fields: { first_name: 'Asha', last_name: 'Rao' }, ...fields })
    return id
  }

  it('counts for anyone who comes with their wallet after they deleted their data, until a person looks again', async () => {
    const end = await limited(4)
    const first = await customer()
    await bank.deposit('sepa', '20')
    await review(first, 'high', 'Moves money for others.')
    await expect(bank.deposit('sepa', '20')).rejects.toThrow('one transaction may be 15')
    await erase(first)
    const second = await again()
    expect(await ratingsOf(second)).toMatchObject([{ customer: second, atLeast: 'high' }, { atLeast: null }])
    await expect(bank.deposit('sepa', '20')).rejects.toThrow('one transaction may be 15')
    await bank.deposit('sepa', '15')
    expect((await ratingsOf(second))[0]).toMatchObject({
      ...{ customer: second, rating: 'high', atLeast: 'high', note: 'Moves money for others.', by: 'rules' },
    })
    const listed = (await bank.get('/customer-ratings?rating=high')).json<CustomerRating[]>()
    expect(listed.map(each => each.customer)).not.toContain(first)
    await review(second, null, 'It was their employer.')
    await bank.deposit('sepa', '20')
    await erase(second)
    await again()
    await bank.deposit('sepa', '20')
    await end()
  })

  it('counts with another wallet of the same person, and goes with the years of retention', async () => {
    const end = await limited(6)
    const first = await customer()
    await bank.deposit('sepa', '5')
    await review(first, 'high')
    await erase(first)
    await customer()
    await bank.deposit('sepa', '20')
    const other = await customer()
    expect(other).not.toBe(first)
    await changeCustomer(bank.deps, other, { centralId: `cus_${first}` })
    await expect(bank.deposit('sepa', '20')).rejects.toThrow('one transaction may be 15')
    const kept = () =>
      bank.rows('select from customer_ratings where customer_id is null and person = $1', [`cus_${first}`])
    expect(await kept()).toHaveLength(2)
    await removeDue(bank.deps)
    expect(await kept()).toHaveLength(2)
    await bank.rows("update customer_ratings set left_at = left_at - interval '11 years'")
    await removeDue(bank.deps)
    expect(await kept()).toEqual([])
    await end()
  })
})

it('what an officer notes is encrypted, also where an earlier release wrote it, and again under a newer key', async () => {
  const id = await customer()
  await review(id, 'normal', 'A neighbour of Quintrell.')
  const isPlain = () => findTexts(bank.deps.config.databaseUrl, ['Quintrell'])
  expect(await isPlain()).toEqual([])
  const earlier = await customer()
  await bank.rows(
    `insert into customer_ratings (customer_id, rating, reasons, note, by, rules_version, review_on)
      values ($1, 'normal', '{}', 'Lives with Quintrell.', $2, 0, '2027-01-01')`,
    [earlier, OPERATOR],
  )
  expect(await ratingOf(earlier)).toMatchObject({ note: 'Lives with Quintrell.' })
  await rotate(bank.deps, sealedRatingNotes)
  expect(await isPlain()).toEqual([])
  expect(await ratingOf(earlier)).toMatchObject({ note: 'Lives with Quintrell.' })
  await bank.deposit()
  expect(await ratingOf(earlier)).toMatchObject({ note: 'Lives with Quintrell.' })
  expect(await ratingOf(id)).toMatchObject({ note: 'A neighbour of Quintrell.' })
})

it('a change by rules does not put a review off, and a review that is due is listed', async () => {
  await setRules([{ when: 'residence', countries: ['AE'], rating: 'high' }])
  const id = await customer({ address_country_code: 'ARE' })
  await bank.deposit()
  const first = await ratingOf(id)
  await changeCustomer(bank.deps, id, { fields: { address_country_code: 'DEU' } })
  await bank.deposit()
  expect(await ratingOf(id)).toMatchObject({ rating: 'normal', reviewOn: first?.reviewOn })
  const due = async (at: string) => {
    const { clock } = bank.deps
    bank.deps.clock = { ...clock, now: () => new Date(at) }
    const listed = (await bank.get('/customer-ratings?due=true')).json<CustomerRating[]>()
    bank.deps.clock = clock
    return listed.some(({ customer }) => customer === id)
  }
  const day = new Date(`${first?.reviewOn}T00:00:00.000Z`)
  expect(await due(new Date(day.getTime() - 1).toISOString())).toBe(false)
  expect(await due(day.toISOString())).toBe(true)
  await review(id, null)
  expect(await due(day.toISOString())).toBe(false)
})

it('rules with a parameter that their factor does not have change nothing', async () => {
  const before = (await bank.get('/risk-rules')).body
  const wrong: RiskRules['rules'][] = [
    [{ when: 'residence', rating: 'high' }],
    [{ when: 'person', days: 3, rating: 'high' }],
    [{ when: 'volume-above', amount: '0', rating: 'high' }],
  ]
  for (const rules of wrong) expect((await setRules(rules)).statusCode).toBe(400)
  expect((await bank.get('/risk-rules')).body).toBe(before)
})
