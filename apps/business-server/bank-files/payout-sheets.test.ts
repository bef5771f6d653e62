import type { PayoutSheet } from '@windlass/contracts/anchor/payout-files.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { sealDestination } from '../transfers/destination.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())
// What an earlier test left waits for no file of the next.
beforeEach(async () => {
  await anchor.rows('update bank_payouts set ended_at = now() where file_id is null and ended_at is null')
})

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const MALLORY = { dest: 'NL91ABNA0417164300', dest_name: 'Mallory' }
const [one, other] = ['operator:one', 'operator:other']
const create = async () =>
  (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json<{
    id: string
    code: string
  }>()
const sheetOf = async (id: string) => {
  const answer = await anchor.asOperator('POST', `/payout-files/${id}/sheet`)
  return answer.json<PayoutSheet & { code: string }>()
}
const approveAs = (id: string, sheet: string, by = other) =>
  anchor.asOperator('POST', `/payout-files/${id}/approve`, { by, sheet })
const codeOf = (answer: { statusCode: number; json(): { code: string } }) => [
  answer.statusCode,
  answer.json().code,
]
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>('select state from payout_files where id = $1', [id]))[0]?.state
const download = async (id: string) => (await anchor.asOperator('POST', `/payout-files/${id}/download`)).body

/** What tells the team that a file waits for someone who approves it. */
async function waiting() {
  const earlier = { conditions: [], differences: new Map() }
  const { conditions } = await evaluateConditions(anchor.deps, earlier)
  return conditions.find(({ subject }) => subject === 'payout-files')
}

/** A line of a payer that waits to be sent back, and its return. */
async function returned(payer: { name?: string; account?: string }): Promise<string> {
  const bankReference = `R${Math.random()}`
  await anchor.read('SEPA', 'x.xml', camt053([{ amount: '48.00', text: 'x', bankReference, ...payer }]))
  const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
    bankReference,
  ])
  await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
    ...{ decision: 'return', reason: 'x', by: one },
  })
  await anchor.sendOrders()
  const [payout] = await anchor.rows<{ id: string }>('select id from bank_payouts where line_id = $1', [
    line?.id,
  ])
  return payout?.id ?? ''
}

describe('before a file is approved', () => {
  it('people see whom it pays, where, how much and why, and what is new since earlier files', async () => {
    const { id, money } = await anchor.withdrawal('sepa', ASHA)
    const first = await create()
    expect(await waiting()).toMatchObject({ kind: 'review-waiting' })
    const sheet = await sheetOf(first.id)
    expect(sheet).toMatchObject({
      payments: [
        {
          ...{ kind: 'payout', amount: String(Number(money)), transactionId: id, line: null },
          payee: { name: ASHA.dest_name, account: ASHA.dest, bank: null },
          marks: ['new-payee'],
        },
      ],
    })
    expect(JSON.stringify(sheet)).not.toContain('payeeKey')
    await approveAs(first.id, sheet.sheet)
    expect(await waiting()).toBeUndefined()
    await anchor.withdrawal('sepa', ASHA)
    await anchor.withdrawal('sepa', { ...MALLORY, dest_name: ASHA.dest_name })
    const lineReturned = await returned({ name: 'Bruno', account: 'DE89370400440532013000' })
    const { payments } = await sheetOf((await create()).id)
    const marks = payments.map(({ payee, marks: each }) => [payee.account, each])
    expect(marks).toEqual([
      [ASHA.dest, []],
      [MALLORY.dest, ['changed-account']],
      ['DE89370400440532013000', ['new-payee']],
    ])
    expect(payments.find(({ payoutId }) => payoutId === lineReturned)?.line).toMatchObject({ name: 'Bruno' })
  })

  it('people see where the bank named another holder of the account than the name that is paid', async () => {
    const [account, shared] = ['DE75512108001245126199', 'DE91100000000123456789']
    const read = (from: string, name: string) =>
      anchor.read(
        'SEPA',
        `${name}.xml`,
        camt053([{ amount: '5.00', text: 'x', bankReference: `H${Math.random()}`, name, account: from }]),
      )
    await read(account, 'Bruno Weber')
    await read(shared, 'Carla Weber')
    await read(shared, 'RAO ASHA')
    for (const [dest, dest_name] of [
      [account, 'Asha Rao'],
      [account, 'WEBER, BRUNO'],
      [shared, 'Asha Rao'],
      [ASHA.dest, 'Asha Rao'],
    ] as const)
      await anchor.withdrawal('sepa', { dest, dest_name })
    const { payments } = await sheetOf((await create()).id)
    expect(payments.map(({ marks, seenHolder }) => [marks.includes('other-holder'), seenHolder])).toEqual([
      [true, 'Bruno Weber'],
      [false, null],
      [false, null],
      [false, null],
    ])
    const [kept] = await anchor.rows<{ payer_digest: string }>(
      'select payer_digest from bank_lines where payer_digest is not null limit 1',
    )
    expect(kept?.payer_digest).not.toMatch(/DE\d{20}/)
  })

  it('an approval names what was seen: another hash approves nothing, nor does the maker', async () => {
    await anchor.withdrawal('sepa', ASHA)
    const [file, another] = [await create(), (await anchor.withdrawal('sepa', ASHA), await create())]
    const [seen, foreign] = [await sheetOf(file.id), await sheetOf(another.id)]
    const refused = [
      await approveAs(file.id, foreign.sheet),
      await approveAs(file.id, '0'.repeat(64)),
      await approveAs(file.id, seen.sheet, one),
    ]
    expect(refused.map(codeOf)).toEqual([
      [409, 'payout-file-changed'],
      [409, 'payout-file-changed'],
      [409, 'second-person-needed'],
    ])
    const without = await anchor.asOperator('POST', `/payout-files/${file.id}/approve`, { by: other })
    expect([without.statusCode, await stateOf(file.id)]).toEqual([400, 'created'])
    expect((await approveAs(file.id, seen.sheet)).statusCode).toBe(200)
  })

  it('a file whose account, bytes or list are others than were seen is not approved', async () => {
    const { id, code } = await anchor.withdrawal('sepa', ASHA)
    const file = await create()
    const { sheet } = await sheetOf(file.id)
    const original = (
      await anchor.rows<{ sealed_destination: Buffer; sealed: Buffer; sealed_sheet: Buffer }>(
        `select t.sealed_destination, f.sealed, f.sealed_sheet from transfers t, payout_files f
         where t.id = $1 and f.id = $2`,
        [id, file.id],
      )
    )[0]
    const { sealer } = anchor.deps
    const set = (text: string, value: Buffer | null | undefined, of: string) => anchor.rows(text, [value, of])
    const transfer = 'update transfers set sealed_destination = $1 where id = $2'
    const bytes = 'update payout_files set sealed = $1 where id = $2'
    const list = 'update payout_files set sealed_sheet = $1 where id = $2'
    const tampered: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [
        () => set(transfer, sealDestination(sealer, id, MALLORY), id),
        () => set(transfer, original?.sealed_destination, id),
      ],
      [
        () => set(bytes, sealer.seal('<Document>another</Document>', `payout-file:${file.code}`), file.id),
        () => set(bytes, original?.sealed, file.id),
      ],
      [() => set(bytes, Buffer.alloc(60), file.id), () => set(bytes, original?.sealed, file.id)],
      [
        () => set(list, sealer.seal('{"payments":[]}', `payout-sheet:${file.code}`), file.id),
        () => set(list, original?.sealed_sheet, file.id),
      ],
      [() => set(list, null, file.id), () => set(list, original?.sealed_sheet, file.id)],
    ]
    for (const [change, back] of tampered) {
      await change()
      expect(codeOf(await approveAs(file.id, sheet))).toEqual([409, 'payout-file-changed'])
      expect(await stateOf(file.id)).toBe('created')
      await back()
    }
    const digest = anchor.rows("update payout_files set sheet_digest = 'x' where id = $1", [file.id])
    await expect(digest).rejects.toThrow('cannot be changed')
    expect((await approveAs(file.id, sheet)).statusCode).toBe(200)
    expect(await download(file.id)).toContain(code)
  })
})

describe('a return whose payer’s account is known', () => {
  const put = (id: string, account: object, by: string) =>
    anchor.asOperator('PUT', `/payouts/${id}/account`, { ...account, by })
  const decide = (id: string, approve: boolean, by: string) =>
    anchor.asOperator('POST', `/return-accounts/${id}/decision`, { approve, by })

  it('goes to that account, whatever one operator types', async () => {
    const id = await returned({ name: 'Asha Rao', account: ASHA.dest })
    const asked = (await put(id, MALLORY, one)).json()
    expect(asked.accountWish.payee).toEqual({ name: 'Mallory', account: MALLORY.dest, bank: null })
    expect(codeOf(await decide(asked.accountWish.id, true, one))).toEqual([409, 'second-person-needed'])
    const own = `update return_accounts set state = 'done', decided_by = requested_by, decided_at = now()
      where id = $1`
    await expect(anchor.rows(own, [asked.accountWish.id])).rejects.toThrow('check constraint')
    const by = 'update return_accounts set requested_by = $2 where id = $1'
    await expect(anchor.rows(by, [asked.accountWish.id, 'operator:x'])).rejects.toThrow('cannot be changed')
    const file = await create()
    const { payments, sheet } = await sheetOf(file.id)
    expect(payments.map(({ payee, marks }) => [payee.account, marks.includes('other-account')])).toEqual([
      [ASHA.dest, false],
    ])
    await approveAs(file.id, sheet)
    expect(await download(file.id)).not.toContain(MALLORY.dest)
    // What waits for a file no more is decided no more.
    expect(codeOf(await decide(asked.accountWish.id, true, other))).toEqual([404, 'payout-not-found'])
  })

  it('goes elsewhere once a second person has approved that account, and the file marks it', async () => {
    const id = await returned({ name: 'Asha Rao', account: ASHA.dest })
    const wishOf = async (account: object) => (await put(id, account, one)).json().accountWish.id
    const earlier = await wishOf({ dest: 'DE89370400440532013000', dest_name: 'Asha Rao' })
    const wish = await wishOf({ ...MALLORY, dest_name: 'Asha Rao' })
    // A later wish ends the one before, so that nobody approves another account than they saw.
    expect(codeOf(await decide(earlier, true, other))).toEqual([404, 'payout-not-found'])
    expect((await decide(wish, true, other)).json()).toMatchObject({ hasAccount: true, accountWish: null })
    const { payments } = await sheetOf((await create()).id)
    expect(payments).toMatchObject([
      {
        payee: { account: MALLORY.dest },
        line: { account: ASHA.dest },
        marks: ['other-account', 'changed-account'],
      },
    ])
  })

  it('takes its own account with another spelling of it from one person, and a dismissed one from nobody', async () => {
    const id = await returned({ name: 'Asha Rao', account: ASHA.dest })
    const spaced = { dest: 'de02 1203 0000 0000 2020 51', dest_name: 'Asha Rao' }
    expect((await put(id, spaced, one)).json()).toMatchObject({ hasAccount: true, accountWish: null })
    const wish = (await put(id, MALLORY, one)).json().accountWish.id
    expect((await decide(wish, false, one)).json()).toMatchObject({ accountWish: null })
    const { payments } = await sheetOf((await create()).id)
    expect(payments.map(({ payee }) => payee.account)).toEqual([ASHA.dest])
  })
})
