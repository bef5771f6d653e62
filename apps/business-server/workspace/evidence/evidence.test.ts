import { Keypair } from '@stellar/stellar-sdk/base'
import type { EvidenceFile, Snapshot } from '@windlass/contracts/anchor/evidence.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { deleteCustomer } from '../../people/customers/sep12.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { removeDue } from '../retention/remove-due.ts'

const OPERATOR = 'operator:asha'
const signing = Keypair.random()
let bank: BankAnchor
let customer = ''
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.signStatement = async message => Buffer.from(signing.signMessage(message))
  customer = (await ensureCustomer(bank.deps, bank.wallet, null)).id
  await named('Ashalakshmi', 'Rao')
})
afterAll(() => bank.close())

const named = (first_name: string, last_name: string) =>
  changeCustomer(bank.deps, customer, { centralId: 'cus_1', fields: { first_name, last_name } })

interface Content {
  transaction: { id: string; status: string }
  known: Snapshot[]
  bank: { party: string; decidedBy: string; file: { sha256: string } }[]
  journal: { lines: object[] }[]
  ledger: { payments: object[] }
  screening: object[]
  emails: object[] | null
  agreed: { terms: object }
}
async function evidence(id: string, query = ''): Promise<EvidenceFile & { found: Content }> {
  const answer = await bank.get(`/transactions/${id}/evidence${query}`)
  expect(answer.statusCode).toBe(200)
  const file = answer.json<EvidenceFile>()
  return { ...file, found: JSON.parse(file.content) as Content }
}

let statement = ''
async function paid(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name: 'Ashalakshmi Rao', account: 'DE02120300000000202051' }
  statement = camt053([{ ...line, bankReference: randomUUID() }])
  await bank.read('SEPA', `${id}.xml`, statement)
  await payQueued(bank.deps)
  expect(await bank.state(id)).toBe('completed')
  return id
}

it('says of a transaction what was known and what counted then, whatever changes later', async () => {
  const rules = { prohibited: ['IR'], highRisk: [], asksResidence: false }
  const change = { rules, by: OPERATOR, reason: 'law-changed' }
  await bank.asOperator('PUT', '/country-rules', { ...change, version: 0 })
  const id = await paid()
  await bank.asOperator('PUT', '/country-rules', { ...change, version: 1 })
  await named('Brand', 'New')
  const { found } = await evidence(id)
  expect(found.transaction).toMatchObject({ id, status: 'completed' })
  expect(found.known.map(({ moment }) => moment)).toEqual(['agreed', 'left'])
  for (const { customers, rules: then } of found.known) {
    expect(customers[0]).toMatchObject({ fields: { first_name: 'Ashalakshmi', last_name: 'Rao' } })
    expect(then).toMatchObject({ countryRules: 1, settings: 0 })
  }
  const sha256 = createHash('sha256').update(statement).digest('hex')
  expect(found.bank).toMatchObject([{ party: 'Ashalakshmi Rao', decidedBy: 'rules', file: { sha256 } }])
  expect(found.journal.length).toBeGreaterThan(1)
  expect(found.ledger.payments).toHaveLength(1)
  expect(found.agreed.terms).not.toBeNull()
  await named('Ashalakshmi', 'Rao')
})

it('is signed as it is, and prints the same', async () => {
  const id = await paid()
  const { content, message, signature, signingKey, pdf } = await evidence(id, '?pdf=true')
  expect(JSON.parse(message)).toMatchObject({
    ...{ type: 'windlass-evidence-1', transaction: id },
    content: createHash('sha256').update(content).digest('hex'),
  })
  expect(signing.verifyMessage(message, Buffer.from(signature ?? '', 'base64'))).toBe(true)
  expect(signingKey).toBe(bank.deps.config.anchor.accounts.signing)
  expect(
    Buffer.from(pdf ?? '', 'base64')
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
})

it('has what the customer was emailed, oldest first, and is not signed without it', async () => {
  const id = await paid()
  const { customerRegistry } = bank.deps
  const { emailsTo } = customerRegistry
  const email = (template: string, at: string) => ({
    ...{ id: template, template, language: 'es', to: 'asha@customer.example', at, deliveredAt: at },
  })
  const code = email('sign-in-code-at-anchor', '2026-05-01T10:00:00.000Z')
  const linked = email('wallet-linked', '2026-05-01T10:01:00.000Z')
  const asked: object[] = []
  customerRegistry.emailsTo = async account => {
    asked.push(account)
    return [linked, code]
  }
  expect((await evidence(id)).found.emails).toEqual([code, linked])
  expect(asked).toEqual([{ account: bank.wallet, memo: null }])
  customerRegistry.emailsTo = () => Promise.reject(unavailable('The customer registry'))
  expect((await bank.get(`/transactions/${id}/evidence`)).statusCode).toBe(503)
  customerRegistry.emailsTo = emailsTo
})

it('names the person or the key that said what a line of the bank is', async () => {
  const { id, money } = await bank.deposit()
  const bankReference = randomUUID()
  await bank.read('SEPA', `${id}.xml`, camt053([{ amount: money, text: 'no reference', bankReference }]))
  const [line] = await bank.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
    bankReference,
  ])
  const body = { decision: 'match', transactionId: id, reason: 'They called.', by: OPERATOR }
  await bank.asOperator('POST', `/statement-lines/${line?.id}/decide`, body)
  await bank.asOperator('POST', `/statement-lines/${line?.id}/approval`, {
    approve: true,
    by: 'operator:other',
  })
  expect((await evidence(id)).found.bank[0]?.decidedBy).toMatch(/^operator:/)
})

it('forgets a customer who is deleted and never paid, except while someone looks into it', async () => {
  const expired = async () => {
    const account = generateKey().publicKey
    const { id: of } = await ensureCustomer(bank.deps, account, null)
    await changeCustomer(bank.deps, of, { centralId: 'cus_1', fields: { first_name: 'Vanisha' } })
    const theirs = { destination_account: account, creator: { account }, customers: { sender: { account } } }
    const { id } = await acceptTransaction(bank.deps, bank.transaction({ ...theirs, type: 'sepa' }))
    await confirm(bank.deps, id)
    await bank.rows("update transfers set state = 'expired', expires_at = now() where id = $1", [id])
    expect((await evidence(id)).found.known).toMatchObject([
      { customers: [{ fields: { first_name: 'Vanisha' } }] },
    ])
    return { id, of }
  }
  const [forgotten, watched] = [await expired(), await expired()]
  expect(await deleteCustomer(bank.deps, forgotten.of, detachCustomer)).toMatchObject({
    ...{ kept: [], until: null },
  })
  expect((await evidence(forgotten.id)).found.known).toEqual([])

  const subject = { kind: 'transaction', id: watched.id }
  const { id: opened } = (
    await bank.asOperator('POST', '/cases', { subject, reason: 'x', by: OPERATOR })
  ).json<{ id: string }>()
  expect(await deleteCustomer(bank.deps, watched.of, detachCustomer)).toMatchObject({
    ...{ kept: [], until: null },
  })
  expect((await evidence(watched.id)).found.known).toHaveLength(1)
  await bank.rows('delete from cases where id = $1', [opened])
  await bank.rows('delete from transfer_snapshots where transfer_id = $1', [watched.id])
})

it('is for those who see compliance, and of transactions there are', async () => {
  const id = await paid()
  const url = `/api/v1/transactions/${id}/evidence`
  const headers = { authorization: 'Bearer default' }
  expect((await bank.app.server.app.inject({ url, headers })).statusCode).toBe(403)
  expect((await bank.get(`/transactions/${randomUUID()}/evidence`)).statusCode).toBe(404)
  bank.deps.signStatement = () => Promise.reject(new Error('away'))
  expect((await bank.get(`/transactions/${id}/evidence`)).statusCode).toBe(503)
})

it('keeps no plain text, and what was known is removed when its time is over, except of an open case', async () => {
  const kept = await bank.rows<{ transfer_id: string }>('select distinct transfer_id from transfer_snapshots')
  const plain = await findTexts(bank.deps.config.databaseUrl, ['Ashalakshmi'])
  expect(plain.filter(each => each.includes('transfer_snapshots'))).toEqual([])
  const [first] = kept
  const subject = { kind: 'transaction', id: first?.transfer_id }
  await bank.asOperator('POST', '/cases', { subject, reason: 'x', by: OPERATOR })
  await bank.rows("update transfer_snapshots set at = at - interval '6 years'")
  await removeDue(bank.deps)
  const left = await bank.rows<{ transfer_id: string }>('select distinct transfer_id from transfer_snapshots')
  expect(left).toEqual([first])
  expect(await bank.rows("select kind from removals where kind = 'snapshot'")).toHaveLength(1)
})
