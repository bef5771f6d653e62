import type { BeneficialOwner } from '@windlass/contracts/anchor/beneficial-owners.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type { CustomerCopy } from '@windlass/contracts/anchor/retention.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'
import { euXml, loadList } from '../../testing/sanctions-lists.ts'
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { compareNames } from '../compliance/compare-names.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { findKept } from '../customers/kept.ts'
import { deleteCustomer } from '../customers/sep12.ts'
import { sealedBeneficialOwners } from './owners.ts'

const OPERATOR = 'operator:asha'
const LISTED = 'Qadir Testov'

let bank: BankAnchor
let customer: string
beforeAll(async () => {
  bank = await BankAnchor.start()
  customer = (await ensureCustomer(bank.deps, bank.wallet, null)).id
  await loadList(bank, euXml([{ id: 1, name: LISTED }]))
})
afterAll(() => bank.close())

const owner = {
  ...{ name: 'Wilhelmina Quintrell', birthDate: '1961-03-04', country: 'DE', control: 'shares' },
  ...{ share: '60', source: 'Handelsregister, HRB 1234', asOf: '2026-11-01', evidence: 'Extract, folder 12' },
}
const add = (over: object = {}, id = customer) =>
  bank.asOperator('POST', `/customers/${id}/beneficial-owners`, { ...owner, ...over, by: OPERATOR })
const end = (id: string) =>
  bank.asOperator('POST', `/beneficial-owners/${id}/end`, { reason: 'Sold.', by: 'operator:ben' })
const list = async (query = '') => (await bank.get(`/beneficial-owners${query}`)).json<BeneficialOwner[]>()
const hits = async () => (await bank.get('/screening-hits')).json<ScreeningHit[]>()

async function pays(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name: 'Quintrell GmbH', account: 'DE02120300000000202051' }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await payQueued(bank.deps)
  return id
}

it('owners are of organizations, and what cannot be is refused', async () => {
  expect((await add()).json()).toMatchObject({ code: 'validation-failed' })
  expect((await add({}, randomUUID())).json()).toMatchObject({ code: 'customer-not-found' })
  await changeCustomer(bank.deps, customer, { fields: { 'organization.name': 'Quintrell GmbH' } })
  for (const over of [
    { asOf: '2126-01-01' },
    { asOf: '2026-02-30' },
    { birthDate: '2126-01-01' },
    { country: 'XX' },
    { share: '101' },
    { evidence: '' },
  ])
    expect((await add(over)).json()).toMatchObject({ code: 'validation-failed' })
  expect(await list()).toEqual([])
})

it('the name of each is compared, and a hit about one holds the money of the organization', async () => {
  const clean = (await add()).json<BeneficialOwner>()
  expect(clean).toMatchObject({
    ...owner,
    customer,
    organization: 'Quintrell GmbH',
    by: OPERATOR,
    ended: null,
  })
  await compareNames(bank.deps)
  expect(await bank.state(await pays())).toBe('completed')
  const listed = (await add({ name: LISTED, birthDate: '1957-01-01' })).json<BeneficialOwner>()
  await compareNames(bank.deps)
  const [hit] = await hits()
  expect(hit).toMatchObject({ status: 'waiting', subject: { kind: 'customer', id: customer } })
  expect(hit?.match).toMatchObject({ role: 'owner', name: LISTED, source: 'EU' })
  const held = await pays()
  expect(await bank.state(held)).not.toBe('completed')
  // Who is no longer entered as an owner frees nothing.
  expect((await end(listed.id)).json()).toMatchObject({ ended: { reason: 'Sold.', by: 'operator:ben' } })
  expect((await end(listed.id)).statusCode).toBe(404)
  await payQueued(bank.deps)
  expect(await bank.state(held)).not.toBe('completed')
  for (const by of ['operator:asha', 'operator:ben'])
    await bank.asOperator('POST', `/screening-hits/${hit?.id}/decision`, {
      ...{ decision: 'clear', reason: 'Another person.', evidence: 'Passport X1', by },
    })
  await payQueued(bank.deps)
  expect(await bank.state(held)).toBe('completed')
  expect((await list('?status=current')).map(({ id }) => id)).toEqual([clean.id])
  expect((await list(`?customer=${customer}&limit=1`)).map(({ id }) => id)).toEqual([listed.id])
})

it('a list that names an owner later finds them, and not one who ended before', async () => {
  const before = (await hits()).length
  const [former] = [(await add({ name: 'Nikodim Vasques' })).json<BeneficialOwner>()]
  await end(former.id)
  await add({ name: 'Perpetua Olander' })
  await bank.app.server.app.inject({
    method: 'POST',
    url: `/admin/sanctions-lists?${new URLSearchParams({ fileName: 'next.xml', by: OPERATOR })}`,
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml([
      { id: 1, name: LISTED },
      { id: 2, name: 'Nikodim Vasques' },
      { id: 3, name: 'Perpetua Olander' },
    ]),
  })
  await compareNames(bank.deps)
  const found = await hits()
  expect(found).toHaveLength(before + 1)
  expect(found[0]?.match).toMatchObject({ role: 'owner', name: 'Perpetua Olander' })
})

it('the shareholder that a wallet names by SEP-9 is compared too', async () => {
  const before = (await hits()).length
  await changeCustomer(bank.deps, customer, { fields: { 'organization.shareholder_name': LISTED } })
  await compareNames(bank.deps)
  const found = await hits()
  expect(found).toHaveLength(before + 1)
  expect(found[0]?.match).toMatchObject({ role: 'owner', name: LISTED })
})

it('nothing of them is in plain text, after a change of keys too, and they go and stay with their customer', async () => {
  const plain = await findTexts(bank.deps.config.databaseUrl, ['Wilhelmina', 'HRB 1234', 'folder 12'])
  expect(plain).toEqual([])
  const copied = (await bank.get(`/customers/${customer}/copy`)).json<CustomerCopy>().beneficialOwners
  expect(copied?.map(({ name }) => name)).toEqual([
    ...[owner.name, LISTED, 'Nikodim Vasques', 'Perpetua Olander'],
  ])
  const { rotating } = withNewerKey(bank.deps)
  expect(await rotate(rotating, sealedBeneficialOwners)).toBe(4)
  await deleteCustomer(rotating, customer, detachCustomer)
  expect(await list()).toEqual([])
  expect(await bank.rows('select from beneficial_owners')).toEqual([])
  expect((await findKept(rotating, customer))?.owners).toEqual(copied)
})
