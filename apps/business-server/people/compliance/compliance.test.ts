import type { Screening, ScreeningCase, ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type { Case } from '@windlass/contracts/anchor/cases.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { decide as recordDecision } from '../customers/decide.ts'
import { deleteCustomer } from '../customers/sep12.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { euXml, loadList } from '../../testing/sanctions-lists.ts'
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { sealedScreenedNames } from './screened-names.ts'
import { compareNames } from './compare-names.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const LISTED = 'Qadir Testov'
const IBAN = 'DE02120300000000202051'
const AT_SEPA = { dest: IBAN, dest_extra: 'BYLADEM1001' }
const OPERATOR = 'operator:asha'

const load = (text: string | Buffer, over: Record<string, string> = {}) => loadList(bank, text, over)

/** What needs two people to be cleared is cleared by another one too. */
const decide = async (id: string, decision: 'clear' | 'confirm', by = OPERATOR) => {
  const first = await decideAlone(id, decision, by)
  const { status } = first.json<ScreeningHit>()
  return decision === 'clear' && status === 'waiting' ? decideAlone(id, decision, 'operator:ben') : first
}

const decideAlone = (id: string, decision: 'clear' | 'confirm', by = OPERATOR) =>
  bank.asOperator('POST', `/screening-hits/${id}/decision`, {
    ...{ decision, reason: 'Born in another year.', evidence: 'Passport X1', by },
  })

const waiting = async (): Promise<ScreeningHit[]> =>
  (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()

const hitOf = async (subject: string): Promise<ScreeningHit> => {
  const found = (await waiting()).find(
    hit => hit.subject.id === subject || hit.transactions.includes(subject),
  )
  if (!found) throw new Error('there is no such hit')
  return found
}

/** A deposit whose money this person paid. */
async function paidBy(name: string, account = IBAN): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  await payQueued(bank.deps)
  return id
}

const paymentOf = async (id: string) =>
  (
    await bank.rows<{ state: string; wait_code: string | null }>(
      'select state, wait_code from ledger_payments where transfer_id = $1',
      [id],
    )
  )[0]

const HELD = { state: 'queued', wait_code: 'screening' }
const PAID = { state: 'paid', wait_code: null }

let decided = 0
/** The platform says that a person is accepted, with the name on their document. */
async function verify(centralId: string, verifiedName: string): Promise<void> {
  decided += 1
  const at = { completedAt: new Date(decided), heardAt: new Date() }
  const decision = {
    centralId,
    status: 'ACCEPTED' as const,
    provider: 'mock',
    sessionId: null,
    ...at,
    verifiedName,
  }
  const { database, sealer } = bank.deps
  await database.db.transaction().execute(tx => recordDecision(tx, sealer, decision))
}

let day = 0
/** A list of one authority in its next version, with these people. */
async function listWith(...names: string[]): Promise<void> {
  day += 1
  const people = names.map((name, index) => ({ id: index + 1, name }))
  const text = `${euXml([...people, { id: 99, name: `Zzz Filler${day}` }])}<!-- ${day} -->`
  expect((await load(text, { smaller: 'true' })).statusCode).toBe(201)
}

describe('a hit', () => {
  beforeEach(() => listWith(LISTED))

  it('about who paid holds the deposit until it is cleared, which then is paid once', async () => {
    const other = await paidBy('Asha Rao')
    expect(await paymentOf(other)).toEqual(PAID)
    const id = await paidBy('TESTOW, Kadir')
    expect(await paymentOf(id)).toEqual(HELD)
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(HELD)

    const hit = await hitOf(id)
    expect(hit).toMatchObject({
      match: {
        ...{ name: 'TESTOW, Kadir', role: 'payer', source: 'EU', entryId: 'EU.1.1', entryName: LISTED },
        detail: 'TERR; born 1957-03-10',
      },
      ...{ velocity: null, status: 'waiting', transactions: [id], decisions: [] },
    })
    expect(hit.match?.score).toBeGreaterThanOrEqual(0.85)
    const { conditions } = await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })
    expect(conditions).toContainEqual({
      ...{ kind: 'compliance-waiting', subject: 'screening-hits' },
      detail: 'A name or a transfer that compliance screening found waits for a decision.',
      spanish: 'Un nombre o una transferencia que halló el cumplimiento espera una decisión.',
    })
    const answer = await bank.asOperator('POST', `/transactions/${id}/actions`, {
      ...{ kind: 'refund', reason: 'The customer asked.', by: OPERATOR },
    })
    expect(answer.json()).toMatchObject({
      code: 'action-not-possible',
      detail: expect.stringMatching(/at the moment/),
    })

    expect((await decide(hit.id, 'clear')).json<ScreeningHit>()).toMatchObject({
      status: 'cleared',
      decisions: [
        { decision: 'clear', reason: 'Born in another year.', evidence: 'Passport X1', by: OPERATOR },
        { decision: 'clear', by: 'operator:ben' },
      ],
    })
    expect((await decide(hit.id, 'confirm')).json()).toMatchObject({ code: 'screening-hit-decided' })
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
    // The same entry in the list's next version is no new hit.
    await listWith(LISTED)
    await compareNames(bank.deps)
    expect(await waiting()).toEqual([])
    await listWith('Qadir Testow')
    await compareNames(bank.deps)
    expect((await waiting()).map(({ match }) => match?.entryName)).toEqual(['Qadir Testow'])
    await decide((await waiting())[0]?.id ?? '', 'clear')
  })

  it('about the address on the ledger holds what it is paid', async () => {
    const { id } = await bank.deposit()
    const [transfer] = await bank.rows<{ stellar_account: string }>(
      'select stellar_account from transfers where id = $1',
      [id],
    )
    await listWith(LISTED, transfer?.stellar_account ?? '')
    const next = await paidBy('Asha Rao')
    expect(await paymentOf(next)).toEqual(HELD)
    const hit = await hitOf(next)
    expect(hit.match).toMatchObject({ role: 'wallet', name: transfer?.stellar_account, score: 1 })
    await decide(hit.id, 'clear')
    await payQueued(bank.deps)
    expect(await paymentOf(next)).toEqual(PAID)
  })

  it('of nearly the same name is cleared by two people, of another spelling by one', async () => {
    const id = await paidBy(LISTED)
    const hit = await hitOf(id)
    expect((await decideAlone(hit.id, 'clear')).json()).toMatchObject({
      ...{ status: 'waiting', decisions: [{ decision: 'clear', by: OPERATOR }] },
    })
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(HELD)
    expect((await decideAlone(hit.id, 'clear')).json()).toMatchObject({ code: 'second-person-needed' })
    expect((await decideAlone(hit.id, 'clear', 'operator:ben')).json()).toMatchObject({ status: 'cleared' })
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
    const less = await hitOf(await paidBy('Qadir Middle Testov'))
    expect(less.match?.score).toBeLessThan(0.95)
    expect((await decideAlone(less.id, 'clear')).json()).toMatchObject({ status: 'cleared' })
  })

  it('that is confirmed holds for good, is exported as a case, and another person alone clears it', async () => {
    const id = await paidBy(LISTED)
    const hit = await hitOf(id)
    expect((await decide(hit.id, 'confirm')).json<ScreeningHit>().status).toBe('confirmed')
    // Another list, without the entry, releases nothing.
    await listWith()
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(HELD)
    const exported = (await bank.get(`/screening-hits/${hit.id}/case`)).json<ScreeningCase>()
    expect(exported).toMatchObject({
      hit: {
        match: { name: LISTED },
        status: 'confirmed',
        transactions: [id],
        decisions: [{ decision: 'confirm' }],
      },
      list: { source: 'EU', version: hit.match?.listVersion, current: false, sha256: expect.any(String) },
      transactions: [{ id, kind: 'deposit', status: 'funded' }],
    })
    expect((await decide(hit.id, 'clear')).json()).toMatchObject({ code: 'second-person-needed' })
    expect((await decide(hit.id, 'clear', 'operator:ben')).json<ScreeningHit>().status).toBe('cleared')
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
    expect((await bank.get('/screening-hits/nothing/case')).json()).toMatchObject({
      code: 'screening-hit-not-found',
    })
  })

  it('about who is paid holds the payout, before its rail has it and before it is in a file', async () => {
    const held = await bank.withdrawal('sepa', { ...AT_SEPA, dest_name: LISTED })
    expect(held.code).toBe('')
    expect(await bank.state(held.id)).toBe('funded')
    const free = await bank.withdrawal('sepa', {
      ...{ dest: 'DE75512108001245126199', dest_extra: 'BYLADEM1001', dest_name: 'Quentin Free' },
    })
    await listWith(LISTED, 'Quentin Free')
    const create = () => bank.asOperator('POST', '/rails/SEPA/payout-files', { by: OPERATOR })
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
    await decide((await hitOf(free.id)).id, 'clear')
    const file = (await create()).json<{ id: string; payouts: number }>()
    expect(file.payouts).toBe(1)

    // A list that changes before the file is approved.
    await listWith(LISTED, 'Quentin Free', 'Quentyn Free')
    await bank.rows('alter table screening_hits disable trigger kept')
    await bank.rows("update screening_hits set entry_name = 'earlier' where entry_name = 'Quentin Free'")
    await bank.rows('alter table screening_hits enable trigger kept')
    const approve = await bank.approve(file.id, 'operator:ben')
    expect(approve.json()).toMatchObject({
      code: 'payout-file-decided',
      detail: expect.stringMatching(/is held/),
    })

    await decide((await hitOf(held.id)).id, 'clear')
    await bank.sendOrders()
    expect(await bank.state(held.id)).toBe('paying_out')
    for (const { id } of await waiting()) await decide(id, 'clear')
  })

  it('about who is listed after the approval keeps the file from being handed out', async () => {
    const { id } = await bank.withdrawal('sepa', {
      ...{ dest: 'DE75512108001245126199', dest_extra: 'BYLADEM1001', dest_name: 'Rosalind Later' },
    })
    const made = await bank.asOperator('POST', '/rails/SEPA/payout-files', { by: OPERATOR })
    const file = made.json<{ id: string }>()
    expect((await bank.approve(file.id, 'operator:ben')).statusCode).toBe(200)
    await listWith(LISTED, 'Rosalind Later')
    const download = () => bank.asOperator('POST', `/payout-files/${file.id}/download`, { by: OPERATOR })
    expect((await download()).json()).toMatchObject({
      code: 'payout-file-decided',
      detail: expect.stringMatching(/held/),
    })
    await decide((await hitOf(id)).id, 'clear')
    expect((await download()).statusCode).toBe(200)
    // It is out.
    await listWith(LISTED, 'Rosalind Later', 'Rosalynd Later')
    expect((await download()).statusCode).toBe(200)
    for (const hit of await waiting()) await decide(hit.id, 'clear')
  })

  it('leaves names behind where there is one, however often a customer changes theirs', async () => {
    const customer = await ensureCustomer(bank.deps, generateKey().publicKey, null)
    const rename = (last_name: string) =>
      changeCustomer(bank.deps, customer.id, { fields: { first_name: 'Qadir', last_name } })
    const kept = () =>
      bank.rows('select replaced_at from screened_names where subject_id = $1 order by recorded_at', [
        customer.id,
      ])
    for (const name of ['Anders', 'Berg', 'Caldera', 'Dorn']) await rename(name)
    expect(await kept()).toEqual([{ replaced_at: null }])
    await rename('Testov')
    await compareNames(bank.deps)
    await rename('Elsen')
    expect(await kept()).toEqual([{ replaced_at: expect.any(Date) }, { replaced_at: null }])
    await decide((await hitOf(customer.id)).id, 'clear')
  })

  it('about a customer holds all that is theirs, and another name or their deletion changes nothing', async () => {
    const customer = await ensureCustomer(bank.deps, bank.wallet, null)
    await changeCustomer(bank.deps, customer.id, { fields: { first_name: 'Qadir', last_name: 'Testov' } })
    await compareNames(bank.deps)
    const hit = await hitOf(customer.id)
    expect(hit).toMatchObject({
      ...{ match: { role: 'customer' }, subject: { kind: 'customer' }, transactions: [] },
    })
    await changeCustomer(bank.deps, customer.id, { fields: { first_name: 'Quite', last_name: 'Another' } })
    // Its payer has the customer's name, so that the line is matched.
    const id = await paidBy('Quite Another')
    expect(await paymentOf(id)).toEqual(HELD)
    await deleteCustomer(bank.deps, customer.id, detachCustomer)
    await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(HELD)
    expect((await hitOf(id)).transactions).toEqual([id])
    // The same wallet comes back under another name.
    const again = await ensureCustomer(bank.deps, bank.wallet, null)
    await changeCustomer(bank.deps, again.id, { fields: { first_name: 'Brand', last_name: 'New' } })
    const next = await paidBy('Brand New')
    expect(await paymentOf(next)).toEqual(HELD)
    expect(await hitOf(next)).toMatchObject({
      ...{ id: hit.id, match: { name: LISTED }, transactions: expect.arrayContaining([id, next]) },
    })
    await decide(hit.id, 'clear')
    await payQueued(bank.deps)
    for (const each of [id, next]) expect(await paymentOf(each)).toEqual(PAID)
    await deleteCustomer(bank.deps, again.id, detachCustomer)
  })

  it('about the name on a document holds though the customer told another, and the review shows both', async () => {
    const customer = await ensureCustomer(bank.deps, bank.wallet, null)
    const overview = async (id: string) =>
      (await bank.get(`/customers/${id}/overview`)).json<{ namesDiffer: boolean | null }>().namesDiffer
    await changeCustomer(bank.deps, customer.id, {
      ...{ centralId: 'cus_1', fields: { first_name: 'Brand', last_name: 'New' } },
    })
    expect(await overview(customer.id)).toBeNull()
    await verify('cus_1', 'Brand Middle New')
    expect(await overview(customer.id)).toBe(false)
    expect(await paymentOf(await paidBy('Brand New'))).toEqual(PAID)

    await verify('cus_1', LISTED)
    expect(await overview(customer.id)).toBe(true)
    // Another name than that on the document would wait for a person.
    const id = await paidBy(LISTED)
    expect(await paymentOf(id)).toEqual(HELD)
    const hit = await hitOf(customer.id)
    expect(hit).toMatchObject({
      ...{ match: { name: LISTED, role: 'verified' }, subject: { kind: 'customer', id: customer.id } },
      names: { told: 'Brand New', verified: LISTED },
    })

    // Another account of the same person, who tells nothing.
    const other = await ensureCustomer(bank.deps, generateKey().publicKey, null)
    await changeCustomer(bank.deps, other.id, { centralId: 'cus_1' })
    await compareNames(bank.deps)
    const hits = (await waiting()).filter(({ subject }) => subject.id === other.id)
    expect(hits).toMatchObject([{ names: { told: null, verified: LISTED } }])

    const kept = () =>
      bank.rows("select sealed_name is null as gone from kyc_statuses where central_id = 'cus_1'")
    await deleteCustomer(bank.deps, customer.id, detachCustomer)
    expect(await kept()).toEqual([{ gone: false }])
    await deleteCustomer(bank.deps, other.id, detachCustomer)
    expect(await kept()).toEqual([{ gone: true }])
    for (const { id } of await waiting()) await decide(id, 'clear')
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
  })

  it('about a customer’s organization holds though the person has a name of their own', async () => {
    const { id: customerId } = await ensureCustomer(bank.deps, bank.wallet, null)
    const tell = (fields: Record<string, string>) => changeCustomer(bank.deps, customerId, { fields })
    await tell({ first_name: 'Brand', last_name: 'New', 'organization.name': `${LISTED} Ltd` })
    const id = await paidBy('Brand New')
    expect(await paymentOf(id)).toEqual(HELD)
    const hit = await hitOf(id)
    expect(hit).toMatchObject({ match: { role: 'organization' }, names: { told: 'Brand New' } })
    await decide(hit.id, 'clear')
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
    await deleteCustomer(bank.deps, customerId, detachCustomer)
  })

  it('about who paid holds what comes from the same bank account under another name', async () => {
    const account = 'DE75512108001245126199'
    const id = await paidBy('Kadir Testow', account)
    const next = await paidBy('Brand New', account)
    const other = await paidBy('Brand New')
    expect(await Promise.all([id, next, other].map(paymentOf))).toEqual([HELD, HELD, PAID])
    const hit = await hitOf(next)
    expect(hit).toMatchObject({ subject: { id }, transactions: expect.arrayContaining([id, next]) })
    await decide(hit.id, 'clear')
    await payQueued(bank.deps)
    expect(await Promise.all([id, next].map(paymentOf))).toEqual([PAID, PAID])
  })

  it('holds what goes back too, also money that belongs to no transaction', async () => {
    const { id, reference } = await bank.deposit()
    await bank.read(
      'SEPA',
      `${id}.xml`,
      camt053([{ amount: '3', text: reference, name: LISTED, account: IBAN }]),
    )
    const [line] = (await bank.get('/statement-lines?status=review')).json<{ id: string }[]>()
    await bank.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
      ...{ decision: 'return', reason: 'Too little.', by: OPERATOR },
    })
    await bank.sendOrders()
    const orders = () => bank.rows('select state, wait_code from rail_orders where transfer_id = $1', [id])
    expect(await orders()).toEqual([HELD])
    await decide((await hitOf(id)).id, 'clear')
    await bank.sendOrders()
    expect(await orders()).toEqual([{ state: 'sent', wait_code: null }])

    const unknown = { amount: '4', text: 'no reference', name: LISTED, account: IBAN }
    await bank.read('SEPA', 'unknown.xml', camt053([unknown]))
    const [other] = (await bank.get('/statement-lines?status=review')).json<{ id: string }[]>()
    await bank.asOperator('POST', `/statement-lines/${other?.id}/decide`, {
      ...{ decision: 'return', reason: 'Unknown.', by: OPERATOR },
    })
    await bank.sendOrders()
    const file = await bank.asOperator('POST', '/rails/SEPA/payout-files', { by: OPERATOR })
    // The first return alone: its hit was cleared.
    expect(file.json()).toMatchObject({ payouts: 1 })
    const [hit] = await waiting()
    expect(hit?.subject.kind).toBe('payout')
    const cases = (await bank.get('/cases?status=open')).json<Case[]>()
    const about = cases.find(({ subject }) => subject.id === hit?.subject.id)
    const sent = { payer: LISTED, account: IBAN, text: 'no reference' }
    expect((await bank.get(`/cases/${about?.id}`)).json()).toMatchObject({
      payout: {
        ...{ kind: 'return', amount: '4', currency: 'EUR', rail: 'SEPA' },
        payee: { dest: IBAN, dest_name: LISTED },
        line: { ...sent, file: { name: 'unknown.xml', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      },
    })
    const draft = (await bank.get(`/cases/${about?.id}/report?format=goaml`)).json<{ xml: string }>()
    expect(draft.xml).toContain(`from ${LISTED}, account ${IBAN}`)
    await decide(hit?.id ?? '', 'clear')
    expect(
      (await bank.asOperator('POST', '/rails/SEPA/payout-files', { by: OPERATOR })).json(),
    ).toMatchObject({
      payouts: 1,
    })
  })

  it('is found once and holds, wherever the process is killed', async () => {
    const { id, reference, money } = await bank.deposit()
    const line = { amount: money, text: reference, name: LISTED, account: IBAN }
    await bank.read('SEPA', `${id}.xml`, camt053([line]))
    const { faults } = bank.deps
    const killed = async (at: string, act: () => Promise<unknown>) => {
      bank.deps.faults = {
        at: point => {
          if (point === at) throw new Error('killed')
        },
      }
      await act().catch(() => undefined)
      bank.deps.faults = faults
    }
    await killed('names:compared', () => compareNames(bank.deps))
    await compareNames(bank.deps)
    await Promise.all([payQueued(bank.deps), compareNames(bank.deps)])
    const hit = await hitOf(id)
    expect((await waiting()).filter(({ subject }) => subject.id === id)).toHaveLength(1)
    await killed('hit:decided', () => decide(hit.id, 'clear'))
    expect((await hitOf(id)).status).toBe('waiting')
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(HELD)
    await decide(hit.id, 'clear')
    await payQueued(bank.deps)
    expect(await paymentOf(id)).toEqual(PAID)
  })

  it('depends on the threshold, and changing it compares every name again', async () => {
    const set = (threshold: number) => bank.asOperator('PUT', '/screening', { threshold, by: OPERATOR })
    expect((await set(0.5)).statusCode).toBe(400)
    expect((await set(1)).json<Screening>()).toMatchObject({ threshold: 1 })
    const id = await paidBy('Kadir Testow')
    expect(await paymentOf(id)).toEqual(PAID)
    await set(0.85)
    await compareNames(bank.deps)
    expect(await hitOf(id)).toMatchObject({ match: { role: 'payer' }, transactions: [] })
    expect((await bank.get('/screening')).json<Screening>()).toMatchObject({ outdated: 0 })
  })
})

it('names are encrypted again under a newer key', async () => {
  const [first] = await bank.rows<{ sealed: Buffer }>('select sealed from screened_names limit 1')
  expect(first?.sealed.includes(Buffer.from(LISTED))).toBe(false)
  const { rotating } = withNewerKey(bank.deps)
  await rotate(rotating, sealedScreenedNames)
  const versions = await bank.rows('select distinct substring(sealed for 1) as version from screened_names')
  expect(versions).toEqual([{ version: Buffer.from([200]) }])
})
