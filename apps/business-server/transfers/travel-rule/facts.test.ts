import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import type {
  TravelRuleHistory,
  TravelRuleRecord,
  TravelRuleWanted,
} from '@windlass/contracts/anchor/travel-rule.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { payQueued } from '../../payments/pay.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { acceptTransaction } from '../accept.ts'
import { confirm } from '../confirm.ts'
import { continueIdentified, continueTransfer } from '../continue.ts'
import { thresholdTowards } from './corridors.ts'
import { receiveUnits } from '../../testing/receive-units.ts'

const IBAN = 'DE02120300000000202051'
const ADDRESS = { address: 'Große Straße 7', city: 'Köln', address_country_code: 'DEU' }

let bank: BankAnchor
/** Whose each wallet is, as the platform has it proven. */
const owners = new Map<string, string>()
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.config.anchor.plan.regions.push('DE')
  bank.deps.customerRegistry.byWallet = async account => {
    const customerId = owners.get(account)
    return customerId ? { customerId, status: 'ACCEPTED', walletVerified: true } : null
  }
})
afterAll(() => bank.close())

async function setRule(over: Partial<TravelRuleWanted>): Promise<void> {
  const { history } = (await bank.get('/travel-rule')).json<TravelRuleHistory>()
  const settings = { threshold: null, lei: null, ownershipAbove: null, ...over }
  const body = { settings, version: history[0]?.version ?? 0, by: 'operator:asha' }
  expect((await bank.asOperator('PUT', '/travel-rule', body)).statusCode).toBe(200)
}
beforeEach(() => setRule({ threshold: '10' }))

const recordOf = async (id: string) =>
  (await bank.get(`/transactions/${id}/travel-rule`)).json<TravelRuleRecord>()
const factsOf = async (id: string) =>
  Object.fromEntries(((await recordOf(id)).facts ?? []).map(({ fact, known, by }) => [fact, [known, by]]))

/** A customer with a wallet of their own, which the platform knows as proven. */
async function customer(family: string, person = `cus_${randomUUID()}`): Promise<string> {
  const wallet = generateKey().publicKey
  owners.set(wallet, person)
  const { id } = await ensureCustomer(bank.deps, wallet, null)
  await changeCustomer(bank.deps, id, {
    centralId: person,
    fields: { first_name: 'Asha', last_name: family, ...ADDRESS },
  })
  Object.assign(bank, { wallet })
  return wallet
}

function deposit(from: string, to: string, amount: string): PlatformTransaction {
  return bank.transaction({
    ...{ sep: '6', type: 'sepa', amount_expected: { amount }, creator: { account: from } },
    ...{ source_account: from, destination_account: to, customers: { sender: { account: from } } },
  })
}

async function begun(transaction: PlatformTransaction): Promise<string> {
  const { id } = await acceptTransaction(bank.deps, transaction)
  await continueTransfer(bank.deps, id)
  return id
}

const beneficiaryOf = async (id: string) => (await recordOf(id)).document.beneficiary.beneficiaryPerson[0]
const named = (primaryIdentifier: string) => ({
  naturalPerson: { name: { nameIdentifier: [expect.objectContaining({ primaryIdentifier })] } },
})

describe('a deposit', () => {
  it('to the wallet that the customer signed in with names them, as told, and their wallet, as proven', async () => {
    const wallet = await customer('Rao')
    const id = await begun(deposit(wallet, wallet, '20'))
    expect(await beneficiaryOf(id)).toMatchObject(named('Rao'))
    expect(await factsOf(id)).toEqual({
      'originator-name': ['asked', 'customer'],
      'originator-account': ['unknown', null],
      'beneficiary-name': ['asked', 'customer'],
      'beneficiary-account': ['proven', 'wallet-login'],
    })
    const [transfer] = await bank.rows<{ reference: string; fiat_amount: string }>(
      'select reference, fiat_amount from transfers where id = $1',
      [id],
    )
    const money = Number(transfer?.fiat_amount).toFixed(2)
    const line = { amount: money, text: transfer?.reference ?? '', name: 'Asha Rao', account: IBAN }
    await bank.read('SEPA', `${id}.xml`, camt053([line]))
    expect((await factsOf(id))['originator-account']).toEqual(['proven', 'bank'])
  })

  it("to another customer's wallet names that customer and nothing more of them, never the sender", async () => {
    const other = await customer('Kumar')
    const sender = await customer('Rao')
    const id = await begun(deposit(sender, other, '20'))
    const { naturalPerson } = (await beneficiaryOf(id)) ?? {}
    expect(naturalPerson).toMatchObject(named('Kumar').naturalPerson)
    expect(naturalPerson?.geographicAddress).toBeUndefined()
    const facts = await factsOf(id)
    expect(facts['beneficiary-account']).toEqual(['proven', 'wallet-login'])
    // The sender's own copy does not name the other customer.
    const [row] = await bank.rows<{ id: string }>('select id from customers where account = $1', [sender])
    expect((await bank.get(`/customers/${row?.id}/copy`)).body).not.toContain('Kumar')
  })

  it('to a wallet of whom nobody knows says so', async () => {
    const id = await begun(deposit(await customer('Rao'), generateKey().publicKey, '20'))
    expect(await beneficiaryOf(id)).toMatchObject(named('Unknown'))
    const facts = await factsOf(id)
    expect([facts['beneficiary-name'], facts['beneficiary-account']]).toEqual([
      ['unknown', null],
      ['unknown', null],
    ])
  })

  it('from an amount on waits until the wallet is proven to be theirs, also without the rest of the rule', async () => {
    await setRule({ ownershipAbove: '1000' })
    const person = `cus_${randomUUID()}`
    const sender = await customer('Rao', person)
    const [below, to] = [
      await begun(deposit(sender, generateKey().publicKey, '999.99')),
      generateKey().publicKey,
    ]
    expect(await bank.state(below)).toBe('awaiting_funds')
    const id = await begun(deposit(sender, to, '1000'))
    expect(await bank.state(id)).toBe('identifying')
    expect(await bank.state(await begun(deposit(sender, sender, '1000')))).toBe('awaiting_funds')
    await setRule({ threshold: '0', ownershipAbove: '1000' })
    owners.set(to, person)
    await continueIdentified(bank.deps)
    expect(await bank.state(id)).toBe('awaiting_funds')
    expect((await factsOf(id))['beneficiary-account']).toEqual(['proven', 'wallet-proof'])
    // Someone else's proof is none of the customer's.
    const strange = generateKey().publicKey
    owners.set(strange, 'cus_other')
    expect(await bank.state(await begun(deposit(sender, strange, '1000')))).toBe('identifying')
  })
})

describe('a withdrawal', () => {
  const paidBy = async (id: string, sender: string) => {
    await receiveUnits(bank.deps, await confirm(bank.deps, id), { sender })
    await sendOrders(bank.deps)
  }
  const asked = async (holder: string, amount: string) =>
    (
      await acceptTransaction(
        bank.deps,
        bank.transaction({
          ...{ kind: 'withdrawal', type: 'sepa', amount_expected: { amount } },
          fields: { dest: IBAN, dest_name: holder },
        }),
      )
    ).id

  it("to a third party's account names its holder, as told, and never the customer", async () => {
    await customer('Rao')
    const id = await asked('Ben Okri', '20')
    await confirm(bank.deps, id)
    expect(await beneficiaryOf(id)).toMatchObject(named('Ben Okri'))
    expect(await factsOf(id)).toMatchObject({
      'beneficiary-name': ['asked', 'customer'],
      'beneficiary-account': ['asked', 'customer'],
      'originator-account': ['proven', 'wallet-login'],
    })
  })

  it('whose units come from another wallet says so, and above the amount waits until it is proven', async () => {
    await setRule({ threshold: '10', ownershipAbove: '1000' })
    const person = `cus_${randomUUID()}`
    await customer('Rao', person)
    const sender = generateKey().publicKey
    const small = await asked('Asha Rao', '20')
    await paidBy(small, sender)
    expect((await factsOf(small))['originator-account']).toEqual(['unknown', null])
    expect((await recordOf(small)).document.originator.originatorPerson[0]?.accountNumber).toEqual([sender])
    const payouts = (id: string) => bank.rows('select id from bank_payouts where transfer_id = $1', [id])
    expect(await payouts(small)).toHaveLength(1)
    const large = await asked('Asha Rao', '1000')
    await paidBy(large, sender)
    const [order] = await bank.rows(
      'select wait_code, wait_details from rail_orders where transfer_id = $1',
      [large],
    )
    expect(order).toEqual({ wait_code: 'travel-data', wait_details: { fields: ['wallet_proof'] } })
    expect(await payouts(large)).toHaveLength(0)
    owners.set(sender, person)
    await bank.rows('update rail_orders set next_try_at = now() where transfer_id = $1', [large])
    await sendOrders(bank.deps)
    expect(await payouts(large)).toHaveLength(1)
    expect((await factsOf(large))['originator-account']).toEqual(['proven', 'wallet-proof'])
  })
})

describe('the threshold', () => {
  it('counts transfers of one person to one beneficiary within a day together', async () => {
    await setRule({ threshold: '1000' })
    const [wallet, other] = [await customer('Rao'), generateKey().publicKey]
    const kept = async (id: string) => (await bank.get(`/transactions/${id}/travel-rule`)).statusCode
    expect(await kept(await begun(deposit(wallet, wallet, '600')))).toBe(404)
    expect(await kept(await begun(deposit(wallet, other, '600')))).toBe(404)
    expect(await kept(await begun(deposit(wallet, wallet, '399')))).toBe(404)
    const third = await begun(deposit(wallet, wallet, '5'))
    expect(await kept(third)).toBe(200)
    await bank.rows("update transfers set created_at = created_at - interval '25 hours' where account = $1", [
      wallet,
    ])
    expect(await kept(await begun(deposit(wallet, wallet, '5')))).toBe(404)
  })

  it('towards a provider is that of the stricter law, or what the anchor set for its country', () => {
    const { config } = bank.deps
    const rule = (over: object) => ({
      ...{ threshold: '5000', lei: null, country: 'US', corridors: [], ownershipAbove: null },
      ...{ waitsForAnswer: true, ...over },
    })
    const towards = (country: string | null, over = {}) => {
      const amount = thresholdTowards(config, rule(over), country)
      return amount === null ? null : formatAmount(amount)
    }
    expect([towards(null), towards('US'), towards('DE'), towards('IN'), towards('BR')]).toEqual([
      ...['5000', '3000', '0', '0', '1000'],
    ])
    expect(towards('US', { country: 'FR' })).toBe('0')
    const corridors = [
      { country: 'US', threshold: '0' },
      { country: 'BR', threshold: null },
    ]
    expect([towards('US', { corridors }), towards('BR', { corridors })]).toEqual(['0', null])
    // Nothing is asked for where the rule is off.
    expect(towards('DE', { threshold: null })).toBeNull()
  })

  it.each([
    [{ corridors: [{ country: 'ZZ', threshold: '1' }] }],
    [{ corridors: [{ country: 'DE', threshold: '-1' }] }],
    [{ ownershipAbove: '-1' }],
    [{ country: 'XX' }],
    [{ corridors: [0, 1].map(() => ({ country: 'DE', threshold: '1' })) }],
  ])('is refused as %j', async settings => {
    const { history } = (await bank.get('/travel-rule')).json<TravelRuleHistory>()
    const version = history[0]?.version ?? 0
    const body = { settings: { threshold: null, lei: null, ...settings }, version, by: 'operator:asha' }
    const answer = await bank.asOperator('PUT', '/travel-rule', body)
    expect(answer.json()).toMatchObject({ code: 'validation-failed' })
  })

  it('keeps what a change leaves out', async () => {
    await setRule({ threshold: '7', country: 'DE', corridors: [{ country: 'US', threshold: '0' }] })
    await setRule({ threshold: '8' })
    const { history } = (await bank.get('/travel-rule')).json<TravelRuleHistory>()
    expect(history[0]?.settings).toMatchObject({
      threshold: '8',
      country: 'DE',
      corridors: [{ country: 'US' }],
    })
  })
})

it('a deposit whose money came before the rule was set waits for the proof, and a person can say why', async () => {
  await setRule({})
  const sender = await customer('Rao')
  const to = generateKey().publicKey
  const id = await begun(deposit(sender, to, '1000'))
  await setRule({ ownershipAbove: '1000' })
  const [transfer] = await bank.rows<{ reference: string; fiat_amount: string }>(
    'select reference, fiat_amount from transfers where id = $1',
    [id],
  )
  const line = { amount: Number(transfer?.fiat_amount).toFixed(2), text: transfer?.reference ?? '' }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, name: 'Asha Rao', account: IBAN }]))
  await payQueued(bank.deps)
  const { payments } = (await bank.get(`/transactions/${id}`)).json<{ payments: { waiting: object }[] }>()
  expect(payments[0]?.waiting).toEqual({ code: 'travel-data', details: { fields: ['wallet_proof'] } })
})
