import { formatAmount } from '@windlass/money/amount.ts'
import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelRuleHistory, TravelRuleRecord } from '@windlass/contracts/anchor/travel-rule.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { Check } from 'typebox/value'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { deleteCustomer, putCustomer } from '../../people/customers/sep12.ts'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { acceptTransaction } from '../accept.ts'
import { continueIdentified, continueTransfer, startDirectPayment } from '../continue.ts'
import { expireOverdue } from '../expire.ts'
import { detachCustomer } from '../detach-customer.ts'
import { confirm } from '../confirm.ts'
import { faultsOf } from './constraints.ts'
import { createDocument, missingFields, type Sides } from './document.ts'
import { sealedRecords } from './records.ts'
import { thresholdIn } from '../../money/pricing/worth.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.config.anchor.plan.regions.push('DE')
})
afterAll(() => bank.close())

const LEI = '529900T8BM49AURSDO55'
const IBAN = 'DE02120300000000202051'
const ADDRESS = { address: 'Große Straße 7', city: 'Köln', address_country_code: 'DEU' }

const history = async () => (await bank.get('/travel-rule')).json<TravelRuleHistory>().history

async function setRule(threshold: string | null, lei: string | null = null) {
  const version = (await history())[0]?.version ?? 0
  const body = { settings: { threshold, lei }, version, by: 'operator:asha' }
  return bank.asOperator('PUT', '/travel-rule', body)
}
afterEach(() => setRule(null))

const recordOf = async (id: string) =>
  (await bank.get(`/transactions/${id}/travel-rule`)).json<TravelRuleRecord>()

/** The callback by which the SEP server asks for SEP-12. */
const customerAnswer = async (query: Record<string, string>) =>
  (
    await bank.app.server.app.inject({
      url: `/customer?${new URLSearchParams(query)}`,
      headers: { 'x-api-key': bank.deps.config.secrets.link },
    })
  ).json<{ status: string; fields?: Record<string, unknown>; message?: string }>()

function newWallet(): string {
  const wallet = generateKey().publicKey
  Object.assign(bank, { wallet })
  return wallet
}

async function name(wallet: string, fields: Record<string, string>): Promise<string> {
  const { id } = await ensureCustomer(bank.deps, wallet, null)
  await changeCustomer(bank.deps, id, { fields })
  return id
}

const stateOf = (id: string) => bank.state(id)
const paymentOf = async (id: string) =>
  (
    await bank.rows<{ state: string; wait_code: string | null; wait_details: object }>(
      'select state, wait_code, wait_details from ledger_payments where transfer_id = $1',
      [id],
    )
  )[0]

function transaction(over: Partial<PlatformTransaction>): PlatformTransaction {
  return bank.transaction({ sep: '6', type: 'sepa', amount_expected: { amount: '1000' }, ...over })
}

const unset = { lei: null, country: null, corridors: [], waitsForAnswer: true }
describe('the settings of the travel rule', () => {
  it('ask for nothing on a test network until they are set, as versions with their author', async () => {
    expect(await history()).toEqual([
      { version: 0, settings: { threshold: null, ...unset, ownershipAbove: null }, by: null, at: null },
    ])
    const set = (await setRule('1000.50', LEI)).json<TravelRuleHistory>().history
    expect(set[0]).toMatchObject({ settings: { threshold: '1000.5', lei: LEI }, by: 'operator:asha' })
    const stale = { settings: { threshold: null, lei: null }, version: 0, by: 'operator:asha' }
    expect((await bank.asOperator('PUT', '/travel-rule', stale)).json()).toMatchObject({
      code: 'settings-changed',
    })
    // Every transfer.
    const all = (await setRule('0')).json<TravelRuleHistory>().history
    expect(all[0]?.settings.threshold).toBe('0')
    for (const [threshold, lei] of [
      ['-1', null],
      ['1', '529900T8BM49AURSDO56'],
    ] as const)
      expect((await setRule(threshold, lei)).json()).toMatchObject({ code: 'validation-failed' })
  })

  it('ask from 1,000 on where money is real', async () => {
    const { anchor } = bank.deps.config
    const { network } = anchor
    anchor.network = { ...network, passphrase: 'Public Global Stellar Network ; September 2015' }
    const first = async () => (await history()).at(-1)?.settings
    // 1,000 EUR by the rate of 0.92.
    expect(await first()).toEqual({ threshold: '1000', ...unset, ownershipAbove: '1086' })
    const { asset } = anchor.plan
    anchor.plan.asset = { ...asset, anchoredTo: 'INR' }
    expect(await first()).toEqual({ threshold: '88500', ...unset, ownershipAbove: '96195' })
    anchor.plan.asset = asset
    anchor.network = network
  })
})

it('the threshold is worth the same in an asset that is pegged to another currency', () => {
  const { anchor } = bank.deps.config
  const of = (code: string, anchoredTo: string) => ({ code, issuer: 'G', name: code, anchoredTo })
  anchor.plan.furtherAssets = [of('USDC', 'USD'), of('EURC', 'EUR'), of('XAUT', 'XAU')]
  const config = { anchor, fx: { EUR: '0.92' } }
  const shown = [null, 'USDC:G', 'EURC:G', 'XAUT:G'].map(key =>
    formatAmount(thresholdIn(config, '1000', key)),
  )
  delete anchor.plan.furtherAssets
  // Without a rate every amount reaches it.
  expect(shown).toEqual(['1000', '1000', '920', '0'])
})

describe('a transfer that reaches the threshold', () => {
  it('by SEP-6 asks by SEP-12 for who sends it before it can be paid, and keeps both sides, encrypted', async () => {
    await setRule('1000', LEI)
    const wallet = newWallet()
    const customerId = await name(wallet, {
      first_name: 'José',
      last_name: 'Müller',
      email_address: 'a@b.example',
    })
    const { id } = await acceptTransaction(bank.deps, transaction({}))
    await continueTransfer(bank.deps, id)
    expect(await stateOf(id)).toBe('identifying')
    const [call] = await bank.rows<{ method: string; params: object }>(
      'select method, params from platform_calls where transfer_id = $1',
      [id],
    )
    expect(call).toMatchObject({
      method: 'request_customer_info_update',
      params: { required_customer_info_updates: ['address', 'city', 'address_country_code'] },
    })
    const asked = await customerAnswer({ account: wallet })
    expect(asked).toMatchObject({ status: 'NEEDS_INFO', message: expect.stringContaining('travel rule') })
    expect(Object.keys(asked.fields ?? {})).toEqual(['address', 'city', 'address_country_code'])

    await putCustomer(bank.deps, { account: wallet }, ADDRESS)
    await continueIdentified(bank.deps)
    expect(await stateOf(id)).toBe('awaiting_funds')
    expect((await customerAnswer({ account: wallet })).status).toBe('ACCEPTED')
    const { document } = await recordOf(id)
    expect(document).toEqual({
      originator: {
        originatorPerson: [
          {
            naturalPerson: {
              name: {
                nameIdentifier: [
                  {
                    primaryIdentifier: 'Muller',
                    secondaryIdentifier: 'Jose',
                    naturalPersonNameIdentifierType: 'LEGL',
                  },
                ],
                localNameIdentifier: [
                  { primaryIdentifier: 'Müller', secondaryIdentifier: 'José', nameIdentifierType: 'LEGL' },
                ],
              },
              geographicAddress: [
                { addressType: 'HOME', addressLine: ['Grosse Strasse 7'], townName: 'Koln', country: 'DE' },
              ],
              customerIdentification: customerId,
              countryOfResidence: 'DE',
            },
          },
        ],
      },
      beneficiary: { beneficiaryPerson: [expect.objectContaining({ accountNumber: [wallet] })] },
      originatingVASP: {
        legalPerson: {
          name: {
            nameIdentifier: [{ legalPersonName: 'Mumbai Pay', legalPersonNameIdentifierType: 'LEGL' }],
          },
          nationalIdentification: { nationalIdentifier: LEI, nationalIdentifierType: 'LEIX' },
        },
      },
      payloadMetadata: { payloadVersion: '101.2023' },
    })
    expect([Check(Ivms101, document), faultsOf(document, '2026-11-23')]).toEqual([true, []])

    const [row] = await bank.rows<{ sealed: Buffer }>(
      'select sealed from travel_rule_records where transfer_id = $1',
      [id],
    )
    expect(row?.sealed.includes(Buffer.from('Muller'))).toBe(false)
    // The bank says from which account it was paid; and who deletes their data does not delete what the law asks for.
    const [transfer] = await bank.rows<{ reference: string; fiat_amount: string }>(
      'select reference, fiat_amount from transfers where id = $1',
      [id],
    )
    const line = {
      amount: Number(transfer?.fiat_amount).toFixed(2),
      text: transfer?.reference ?? '',
      name: 'José Müller',
      account: IBAN,
    }
    await bank.read('SEPA', `${id}.xml`, camt053([line]))
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual({ state: 'paid', wait_code: null, wait_details: {} })
    await deleteCustomer(bank.deps, customerId, detachCustomer)
    await rotate(withNewerKey(bank.deps).rotating, sealedRecords)
    bank.deps.sealer = withNewerKey(bank.deps).rotating.sealer
    expect((await recordOf(id)).document.originator.originatorPerson[0]?.accountNumber).toEqual([IBAN])
  })

  it('by SEP-31 asks the sending anchor for the sender, and names both anchors', async () => {
    await setRule('500')
    const account = generateKey().publicKey
    const [{ id: from }, { id: to }] = [
      await putCustomer(
        bank.deps,
        { account, memo: '1', type: 'sep31-sender' },
        {
          ...{ first_name: 'Asha', last_name: 'Rao', address: '1 Main Street' },
        },
      ),
      await putCustomer(
        bank.deps,
        { account, memo: '2', type: 'sep31-receiver' },
        {
          ...{ first_name: 'Ben', last_name: 'Okri', bank_account_number: IBAN, bank_number: 'BYLADEM1001' },
        },
      ),
    ]
    await bank.rows('insert into sending_anchors (account, name) values ($1, $2)', [account, 'London Pay'])
    const given = transaction({
      ...{ sep: '31', kind: 'receive', creator: { account }, amount_expected: { amount: '600' } },
      customers: { sender: { id: from, account }, receiver: { id: to } },
    })
    expect(await startDirectPayment(bank.deps, given)).toBeNull()
    expect(
      Object.keys((await customerAnswer({ id: from, account, type: 'sep31-sender' })).fields ?? {}),
    ).toEqual(['city', 'address_country_code'])
    expect((await customerAnswer({ id: to, account, type: 'sep31-receiver' })).status).toBe('ACCEPTED')
    await putCustomer(
      bank.deps,
      { id: from, account, type: 'sep31-sender' },
      { city: 'Pune', address_country_code: 'IND' },
    )
    await continueIdentified(bank.deps)
    expect(await stateOf(given.id)).toBe('awaiting_funds')
    expect((await recordOf(given.id)).document).toMatchObject({
      originator: {
        originatorPerson: [
          { accountNumber: [`${account}:1`], naturalPerson: { customerIdentification: from } },
        ],
      },
      beneficiary: {
        beneficiaryPerson: [
          {
            accountNumber: [IBAN],
            naturalPerson: {
              name: { nameIdentifier: [{ primaryIdentifier: 'Okri', secondaryIdentifier: 'Ben' }] },
            },
          },
        ],
      },
      originatingVASP: { legalPerson: { name: { nameIdentifier: [{ legalPersonName: 'London Pay' }] } } },
      beneficiaryVASP: { legalPerson: { name: { nameIdentifier: [{ legalPersonName: 'Mumbai Pay' }] } } },
    })
  })

  it('waits with its money where data is missing, and is paid once it is there', async () => {
    const wallet = newWallet()
    const { id, reference, money } = await bank.deposit('sepa', '50')
    await setRule('50')
    const line = { amount: money, text: reference, name: 'Quentin Free', account: IBAN }
    await bank.read('SEPA', `${id}.xml`, camt053([line]))
    await payQueued(bank.deps)
    const held = await paymentOf(id)
    const fields = ['first_name', 'last_name', 'address', 'city', 'address_country_code']
    expect(held).toEqual({ state: 'queued', wait_code: 'travel-data', wait_details: { fields } })
    const [payment] = (await bank.get(`/transactions/${id}`)).json<{ payments: object[] }>().payments
    expect(payment).toMatchObject({
      waitsFor: `The travel rule asks for more about the customer: ${fields.join(', ')}. It is paid once the customer sends it by SEP-12.`,
      waiting: { code: 'travel-data', details: { fields } },
    })
    expect((await bank.get(`/transactions/${id}/travel-rule`)).json()).toMatchObject({
      code: 'travel-rule-record-not-found',
    })
    expect((await customerAnswer({ account: wallet })).status).toBe('NEEDS_INFO')
    await name(wallet, { first_name: 'Quentin', last_name: 'Free', ...ADDRESS })
    await bank.rows('update ledger_payments set next_try_at = now() where transfer_id = $1', [id])
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual({ state: 'paid', wait_code: null, wait_details: {} })
    expect((await recordOf(id)).transactionId).toBe(id)
  })

  it('that nobody pays is forgotten, and late money is kept with its sides again', async () => {
    await setRule('30')
    await name(newWallet(), { first_name: 'Late', last_name: 'Payer', ...ADDRESS })
    const { id, reference, money } = await bank.deposit('sepa', '30')
    expect((await recordOf(id)).transactionId).toBe(id)
    await bank.rows("update transfers set expires_at = now() - interval '1 day' where id = $1", [id])
    await expireOverdue(bank.deps)
    expect(await stateOf(id)).toBe('expired')
    expect((await bank.get(`/transactions/${id}/travel-rule`)).statusCode).toBe(404)
    await bank.read(
      'SEPA',
      `${id}.xml`,
      camt053([{ amount: money, text: reference, name: 'Late Payer', account: IBAN }]),
    )
    const { document } = await recordOf(id)
    expect(document.originator.originatorPerson[0]?.accountNumber).toEqual([IBAN])
  })

  it('keeps nothing below it, and is not agreed without the data', async () => {
    await setRule('20.0000001')
    newWallet()
    const { id } = await bank.deposit('sepa', '20')
    expect((await bank.get(`/transactions/${id}/travel-rule`)).statusCode).toBe(404)
    await setRule('20')
    const open = await acceptTransaction(
      bank.deps,
      transaction({ sep: '24', amount_expected: { amount: '20' } }),
    )
    await expect(confirm(bank.deps, open.id)).rejects.toThrow('the travel rule asks')
    expect(await stateOf(open.id)).toBe('new')
  })
})

describe('a document of IVMS101', () => {
  const TODAY = '2026-11-23'
  const sides = (fields: Record<string, string>): Sides => ({
    originator: { fields, customer: 'c1', account: 'GABC' },
    beneficiary: { fields: { last_name: '株式会社' }, customer: null, account: IBAN },
    originatingAnchor: null,
    beneficiaryAnchor: { name: 'Straße & Söhne', lei: LEI },
  })

  it.each([
    ['a postal address', { ...ADDRESS }],
    ['an identity document', { id_number: 'X123', id_type: 'passport', id_country_code: 'IND' }],
    ['day and place of birth', { birth_date: '1980-02-29', birth_place: 'Zürich' }],
  ])('is complete with %s, and valid', (_, more) => {
    const given = sides({ first_name: 'Asha', last_name: 'Rao', ...more })
    expect(missingFields(given, TODAY)).toEqual({ originator: [], beneficiary: [] })
    const document = createDocument(given, TODAY)
    expect([Check(Ivms101, document), faultsOf(document, TODAY)]).toEqual([true, []])
  })

  it('of an organization has its name and registered address', () => {
    const fields = {
      ...{ 'organization.name': 'Acme', 'organization.registered_address': `${'long '.repeat(60)}end` },
      ...{ 'organization.city': 'Berlin', 'organization.address_country_code': 'DEU' },
    }
    const document = createDocument(sides(fields), TODAY)
    expect([Check(Ivms101, document), faultsOf(document, TODAY)]).toEqual([true, []])
    const lines =
      document.originator.originatorPerson[0]?.legalPerson?.geographicAddress?.[0]?.addressLine ?? []
    expect(lines).toHaveLength(5)
    expect(lines.join(' ')).toBe(fields['organization.registered_address'])
    expect(missingFields(sides({ 'organization.name': 'Acme' }), TODAY).originator).toEqual([
      'organization.registered_address',
      'organization.city',
      'organization.address_country_code',
    ])
  })

  it('does not count what says nothing: a birth to come, a country that is none, a name without letters', () => {
    const fields = {
      ...{ first_name: '  ', last_name: 'Rao', birth_date: '2026-11-23', birth_place: 'Pune' },
      ...{ address: 'Street', city: 'Pune', address_country_code: 'XXX' },
    }
    expect(missingFields(sides(fields), TODAY).originator).toEqual(['first_name', 'address_country_code'])
  })

  it('that breaks a constraint of the standard is named by it', () => {
    const person = {
      name: {
        nameIdentifier: [{ primaryIdentifier: 'A', naturalPersonNameIdentifierType: 'ALIA' as const }],
      },
    }
    const legal = {
      name: { nameIdentifier: [{ legalPersonName: 'A', legalPersonNameIdentifierType: 'TRAD' as const }] },
      nationalIdentification: {
        nationalIdentifier: LEI.replace('5', '6'),
        nationalIdentifierType: 'LEIX' as const,
        countryOfIssue: 'DE',
      },
      geographicAddress: [{ addressType: 'GEOG' as const, townName: 'B', country: 'ZZ' }],
    }
    const document: Ivms101 = {
      originator: { originatorPerson: [{ naturalPerson: person }] },
      beneficiary: {
        beneficiaryPerson: [
          { naturalPerson: { ...person, dateAndPlaceOfBirth: { dateOfBirth: TODAY, placeOfBirth: 'B' } } },
        ],
      },
      originatingVASP: { legalPerson: legal },
      beneficiaryVASP: {},
      payloadMetadata: { payloadVersion: '101.2023' },
    }
    expect(faultsOf(document, TODAY)).toEqual([
      'C1 OriginatorInformationNaturalPerson',
      'C6 LegalNamePresentNaturalPerson',
      'C2 DateInPast',
      'C3 Country',
      'C8 ValidAddress',
      'C5 LegalNamePresentLegalPerson',
      'C9 CompleteNationalIdentifierLegalPerson',
      'C11 ValidLEI',
      'Person: either natural or legal',
    ])
  })
})
