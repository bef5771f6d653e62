import { randomUUID } from 'node:crypto'
import { unavailable } from '@windlass/service/http/problem.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { PNG, upload } from './testing/give-file.ts'
import { deleteCustomer, putCustomer, readCustomer } from './sep12.ts'
import { fitsSep9 } from './sep9-values.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

const CODE = '123456'
const WHOLE = {
  first_name: 'Asha',
  last_name: 'Rao',
  email_address: 'asha@example.com',
}

let app: BusinessApp
let mailed: string[]
let down: boolean
beforeAll(async () => {
  app = await startBusinessApp()
  const { customerRegistry } = app.deps
  customerRegistry.byWallet = async () => null
  customerRegistry.sendCode = async email => {
    if (down) throw unavailable('The customer registry')
    mailed.push(email)
  }
  customerRegistry.linkByCode = async (_email, code) => {
    if (down) throw unavailable('The customer registry')
    return code === CODE ? { customerId: 'cus_1' } : null
  }
})
afterAll(() => app.close())
beforeEach(() => {
  mailed = []
  down = false
})

/** A wallet that sends details; `state` is everything that is stored of it. */
function wallet() {
  const key = { account: generateKey().publicKey }
  const put = (given: Record<string, string>) => putCustomer(app.deps, key, given)
  return { put, state: () => readCustomer(app.deps, key) }
}

describe('a refused PUT /customer', () => {
  it.each([
    ['an email address that is none', { email_address: 'x' }, /email_address must be an email/],
    ['a date that is none', { birth_date: '31/31/2020' }, /birth_date must be an ISO 8601 date/],
    ['a country that is none', { address_country_code: 'XX' }, /address_country_code must be an ISO 3166-1/],
    ['a code that was not emailed', { email_address_verification: CODE }, /is not the code/],
    ['a file that is none', { proof_of_income_file_id: 'x' }, /is not a file that was uploaded/],
    [
      'a file that nobody uploaded',
      { proof_of_income_file_id: randomUUID() },
      /is not a file that was uploaded/,
    ],
    [
      'more fields than are kept',
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`field_${index}`, 'x'])),
      /at most 100 fields/,
    ],
  ])(
    'with %s creates no customer, emails nothing and does not block a later one',
    async (_what, wrong, why) => {
      const { put, state } = wallet()
      await expect(put({ ...WHOLE, ...wrong })).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(why),
      })
      expect(await state()).toMatchObject({ status: 'NEEDS_INFO' })
      expect((await state()).id).toBeUndefined()
      expect(mailed).toEqual([])
      await put({ last_name: 'B' })
      expect(Object.keys((await state()).provided_fields ?? {})).toEqual(['last_name'])
    },
  )

  it('with more files than are kept creates no customer, emails nothing', async () => {
    const { put, state } = wallet()
    const files: Record<string, string> = {}
    for (let n = 0; n < 21; n++) files[`file_${n}_file_id`] = await upload(app.deps)
    await expect(put({ ...WHOLE, ...files })).rejects.toMatchObject({
      status: 400,
      message: 'at most 20 files are kept',
    })
    expect((await state()).id).toBeUndefined()
    expect(mailed).toEqual([])
    const { file_20_file_id: last = '', ...kept } = files
    await put({ ...WHOLE, ...kept })
    await expect(put({ file_20_file_id: last })).rejects.toMatchObject({ status: 400 })
    // One of the same name takes the other's place.
    await put({ file_19_file_id: last })
  })

  it('with a wrong code keeps what was stored before, and the right code is still accepted', async () => {
    const { put, state } = wallet()
    await put(WHOLE)
    expect(mailed).toEqual(['asha@example.com'])
    const before = await state()
    const wrong = { email_address_verification: '000000', birth_date: '1976-07-04' }
    await expect(put(wrong)).rejects.toMatchObject({ status: 400 })
    expect(await state()).toEqual(before)
    await expect(put({ email_address_verification: CODE })).rejects.toMatchObject({ status: 503 })
    // The code was taken; only the provider, of which there is none here, was not reached.
    expect((await state()).status).toBe('PROCESSING')
  })

  it('while the platform is down stores nothing, and succeeds when it is sent again', async () => {
    const { put, state } = wallet()
    down = true
    await expect(put(WHOLE)).rejects.toMatchObject({ status: 503 })
    expect((await state()).id).toBeUndefined()
    down = false
    await put(WHOLE)
    expect(mailed).toEqual(['asha@example.com'])
    const waiting = await state()
    expect(waiting.fields).toEqual({ email_address: expect.objectContaining({ type: 'string' }) })
    expect(waiting.provided_fields?.email_address?.status).toBe('VERIFICATION_REQUIRED')
    down = true
    await expect(put({ email_address_verification: CODE })).rejects.toMatchObject({ status: 503 })
    expect(await state()).toEqual(waiting)
  })
})

it('a wallet that is new to a verified customer is PROCESSING until they confirm it', async () => {
  const { customerRegistry } = app.deps
  const { linkByCode, byWallet } = customerRegistry
  onTestFinished(() => void Object.assign(customerRegistry, { linkByCode, byWallet }))
  customerRegistry.linkByCode = async () => 'unconfirmed'
  const { put, state } = wallet()
  await put({ ...WHOLE, email_address: 'asha@example.com' })
  await put({ email_address_verification: CODE })
  expect(await state()).toMatchObject({
    status: 'PROCESSING',
    message: expect.stringContaining('once the customer confirms it'),
  })
  customerRegistry.byWallet = async () => ({ customerId: 'cus_1', status: 'ACCEPTED', walletVerified: true })
  expect((await state()).status).toBe('ACCEPTED')
})

it('an account that several people share is asked for by account and memo while it waits', async () => {
  const { customerRegistry } = app.deps
  const { linkByCode, byShared } = customerRegistry
  onTestFinished(() => void Object.assign(customerRegistry, { linkByCode, byShared }))
  const named: unknown[] = []
  customerRegistry.linkByCode = async (_email, _code, { account, memo, login }) => {
    named.push({ account, memo, login })
    return 'unconfirmed'
  }
  let confirmed = false
  customerRegistry.byShared = async ({ account, memo }) => {
    named.push({ account, memo })
    return confirmed ? { customerId: 'cus_7', status: 'ACCEPTED', walletVerified: true } : null
  }
  const key = { account: generateKey().publicKey, memo: '77' }
  await putCustomer(app.deps, key, WHOLE)
  await putCustomer(app.deps, key, { email_address_verification: CODE })
  expect((await readCustomer(app.deps, key)).status).toBe('PROCESSING')
  confirmed = true
  expect((await readCustomer(app.deps, key)).status).toBe('ACCEPTED')
  expect(named[0]).toEqual({ ...key, login: null })
  expect(named.slice(1)).toContainEqual(key)
})

it('a customer who was deleted here is ACCEPTED again from the first question on, without the details', async () => {
  const account = generateKey().publicKey
  const { byWallet } = app.deps.customerRegistry
  onTestFinished(() => void (app.deps.customerRegistry.byWallet = byWallet))
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
  const { id } = await putCustomer(app.deps, { account }, { first_name: 'Asha', last_name: 'Rao' })
  await deleteCustomer(app.deps, id, async () => ({ transactions: [], moved: false }))
  await expect(readCustomer(app.deps, { id })).rejects.toMatchObject({ code: 'customer-not-found' })
  const again = await readCustomer(app.deps, { account })
  expect(again).toEqual({ id: expect.any(String), status: 'ACCEPTED', person: expect.any(String) })
  expect(again.id).not.toBe(id)
})

it('two accounts of one person name the same person, without the id at the platform', async () => {
  const { byWallet } = app.deps.customerRegistry
  onTestFinished(() => void (app.deps.customerRegistry.byWallet = byWallet))
  let customerId = 'cus_1'
  app.deps.customerRegistry.byWallet = async () => ({ customerId, status: 'ACCEPTED', walletVerified: true })
  const personOf = async () => (await readCustomer(app.deps, { account: generateKey().publicKey })).person
  const [first, second] = [await personOf(), await personOf()]
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(second).toBe(first)
  customerId = 'cus_2'
  expect(await personOf()).not.toBe(first)
})

describe('a value of SEP-9', () => {
  it.each([
    ['birth_date', '2000-02-29'],
    ['id_expiration_date', '2099-12-31'],
    ['birth_country_code', 'IND'],
    ['mobile_number', '+919876543210'],
    ['language_code', 'en'],
    ['ip_address', '2001:db8::1'],
    ['organization.registration_date', '1999-01-01'],
    ['first_name', '31/31/2020'],
    ['constructor', 'anything'],
  ])('fits: %s %s', (name, value) => {
    expect(fitsSep9(name, value)).toBe(true)
  })

  it.each([
    ['birth_date', '2001-02-29'],
    ['birth_date', '1976-7-4'],
    ['birth_date', '1976-07-04T00:00:00Z'],
    ['id_issue_date', ''],
    ['id_country_code', 'ind'],
    ['id_country_code', 'IN'],
    ['mobile_number', '9876543210'],
    ['language_code', 'english'],
    ['ip_address', '300.1.1.1'],
    ['organization.email', 'nobody'],
  ])('does not fit: %s %s', (name, value) => {
    expect(fitsSep9(name, value)).toBe(false)
  })
})

describe('with a malware scanner', () => {
  type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>
  const scannedBy = async (scan: (bytes: Pieces) => Promise<string | null>) => {
    const before = await filesKept()
    const refusal = await upload({ ...app.deps, scanner: { scan } }).then(
      () => null,
      (error: unknown) => error,
    )
    return { refusal, kept: (await filesKept()) - before }
  }
  const filesKept = async (): Promise<number> =>
    (await app.deps.database.pool.query('select 1 from customer_files')).rows.length

  it('keeps nothing of an infected file, nor while the scanner does not answer', async () => {
    const infected = await scannedBy(async pieces => {
      const bytes = Buffer.concat(await Array.fromAsync(pieces))
      return bytes.equals(PNG) ? 'Eicar-Test-Signature' : null
    })
    expect(infected.refusal).toMatchObject({
      code: 'validation-failed',
      message: 'photo_id_front was refused by the malware scanner',
    })
    const away = await scannedBy(() => Promise.reject(new Error('connect ENOENT')))
    expect(away.refusal).toMatchObject({ code: 'dependency-unavailable' })
    expect([infected.kept, away.kept]).toEqual([0, 0])
  })

  it('keeps clean files', async () => {
    const clean = await scannedBy(async () => null)
    expect(clean).toEqual({ refusal: null, kept: 1 })
  })
})
