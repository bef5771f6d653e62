import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { payoutCode, payoutFileCode } from '../rails/bank-file/payouts.ts'
import { matchLines } from './match.ts'
import { createPayoutFile } from './payout-files.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Râo & Söhne' }
const [one, other] = ['operator:one', 'operator:other']
const create = (rail = 'SEPA', by = one) => anchor.asOperator('POST', `/rails/${rail}/payout-files`, { by })
const approve = (id: string, by = other) => anchor.approve(id, by)
const download = (id: string) => anchor.asOperator('POST', `/payout-files/${id}/download`)
const statement = (bookings: Parameters<typeof camt053>[0]) => anchor.read('SEPA', 'x.xml', camt053(bookings))
const codeOf = (answer: { statusCode: number; json(): { code: string } }) => [
  answer.statusCode,
  answer.json().code,
]

describe('a payout file', () => {
  it('is approved by a second person, downloaded, and confirmed by the next statement', async () => {
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    expect((await anchor.get('/payouts')).json()).toMatchObject([{ code, kind: 'payout', hasAccount: true }])
    const file = (await create()).json()
    expect(file).toMatchObject({
      status: 'created',
      payouts: 1,
      ended: 0,
      total: String(Number(money)),
      createdBy: one,
    })
    expect((await anchor.get('/payouts')).json()).toEqual([])
    expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
    expect(codeOf(await download(file.id))).toEqual([409, 'payout-file-decided'])
    expect(codeOf(await approve(file.id, one))).toEqual([409, 'second-person-needed'])
    expect((await approve(file.id)).json()).toMatchObject({ status: 'approved', approvedBy: other })
    expect(codeOf(await approve(file.id))).toEqual([409, 'payout-file-decided'])
    expect(codeOf(await anchor.asOperator('POST', `/payout-files/${file.id}/cancel`))).toEqual([
      409,
      'payout-file-decided',
    ])
    const bytes = (await download(file.id)).rawPayload
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
    expect(bytes.toString()).toContain(`<EndToEndId>${code}</EndToEndId>`)
    expect(await anchor.state(id)).toBe('paying_out')
    await statement([{ amount: money, direction: 'out', endToEndId: code, bankReference: 'O1' }])
    expect(await anchor.state(id)).toBe('completed')
    expect((await anchor.get('/payout-files')).json()).toMatchObject([
      { ended: 1, downloadedAt: expect.any(String) },
    ])
    expect(await anchor.balances()).toMatchObject({ 'rail:SEPA EUR': String(-Number(money)) })
  })

  it('is made once where the platform asks again with the same key', async () => {
    await anchor.withdrawal('sepa', ASHA)
    const again = (by = one) => anchor.asOperator('POST', '/rails/SEPA/payout-files', { by }, 'act_1')
    const file = (await again()).json()
    await anchor.withdrawal('sepa', ASHA)
    const repeated = await again()
    expect([repeated.statusCode, repeated.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expect(repeated.json()).toEqual(file)
    expect(codeOf(await again(other))).toEqual([422, 'idempotency-key-reused'])
    expect(await anchor.rows("select from payout_files where state = 'created'")).toHaveLength(1)
    expect(codeOf(await anchor.asOperator('POST', `/payout-files/${file.id}/cancel`))[0]).toBe(200)
    await approve((await create()).json().id)
  })

  it('is for the platform alone, which proves itself', async () => {
    const { secrets } = anchor.deps.config
    for (const headers of [{ authorization: 'Bearer key' }, { 'x-service-secret': secrets.summary }]) {
      for (const url of [
        '/admin/rails/SEPA/payout-files',
        '/admin/payout-files/1/approve',
        '/admin/payout-files/1/download',
      ]) {
        const answer = await anchor.app.server.app.inject({
          method: 'POST',
          url,
          headers,
          payload: { by: 'me' },
        })
        expect(answer.statusCode).toBe(401)
      }
    }
  })

  it('whose payment the bank takes back in the same statement refunds the customer', async () => {
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    await approve((await create()).json().id)
    await statement([
      { amount: money, direction: 'out', endToEndId: code, bankReference: 'O2' },
      { amount: money, endToEndId: code, bankReference: 'O3', returnReason: 'AC04' },
    ])
    expect(await anchor.state(id)).toBe('returning')
    const refunds = await anchor.rows('select purpose from ledger_payments where transfer_id = $1', [id])
    expect(refunds).toEqual([{ purpose: 'refund' }])
    const [order] = await anchor.rows('select state, failure from rail_orders where transfer_id = $1', [id])
    expect(order).toEqual({ state: 'failed', failure: 'AC04' })
  })

  it('whose payment comes back before the file that says it left needs no decision', async () => {
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    const states = async () =>
      (
        await anchor.rows<{ state: string }>(
          'select state from bank_lines where $1 = any(codes) order by created_at',
          [code],
        )
      ).map(({ state }) => state)
    await statement([{ amount: money, text: code, bankReference: 'O6' }])
    expect([await anchor.state(id), await states()]).toEqual(['paying_out', ['review']])
    await approve((await create()).json().id)
    await statement([
      { amount: money, text: code, bankReference: 'O7', day: '2026-11-21', returnReason: 'AC04' },
    ])
    expect(await anchor.state(id)).toBe('returning')
    await statement([{ amount: money, direction: 'out', text: code, bankReference: 'O8' }])
    expect(await states()).toEqual(['review', 'matched', 'matched'])
    await statement([{ amount: money, direction: 'out', text: code, bankReference: 'O9' }])
    expect(await states()).toEqual(['review', 'matched', 'matched', 'review'])
  })

  it('that a bank books as one amount confirms all of its payouts', async () => {
    const both = [await anchor.withdrawal('sepa', ASHA), await anchor.withdrawal('sepa', ASHA)]
    const file = (await create()).json()
    await approve(file.id)
    await statement([{ amount: '0.01', direction: 'out', text: file.code, bankReference: 'O4' }])
    expect(await anchor.state(both[0]?.id ?? '')).toBe('paying_out')
    await statement([{ amount: file.total, direction: 'out', text: file.code, bankReference: 'O5' }])
    expect(await Promise.all(both.map(({ id }) => anchor.state(id)))).toEqual(['completed', 'completed'])
  })

  it('that the bank sends back as one amount after its debit was read is matched, once', async () => {
    const both = [await anchor.withdrawal('sepa', ASHA), await anchor.withdrawal('sepa', ASHA)]
    const file = (await create()).json()
    await approve(file.id)
    const before = await anchor.balances()
    const credit = { amount: file.total, text: `Return ${file.code}`, returnReason: 'AC04' }
    const lines = () =>
      anchor.rows<{ state: string; why: string }>(
        `select state, why from bank_lines where $1 = any(codes) order by created_at, position`,
        [file.code],
      )
    await statement([{ amount: file.total, direction: 'out', text: file.code, bankReference: 'R1' }])
    await statement([{ ...credit, bankReference: 'R2', day: '2026-11-21' }])
    expect((await lines()).at(-1)).toEqual({ state: 'matched', why: 'The bank sent a payout file back.' })
    const orders = await anchor.rows('select state, failure from rail_orders where transfer_id = any($1)', [
      both.map(({ id }) => id),
    ])
    expect(orders).toEqual([1, 2].map(() => ({ state: 'paid', failure: 'AC04' })))
    // The money is to be paid again or refunded.
    expect(await Promise.all(both.map(({ id }) => anchor.state(id)))).toEqual(['sent_back', 'sent_back'])
    expect((await anchor.balances())['rail:SEPA EUR']).toBe(before['rail:SEPA EUR'])
    await statement([{ ...credit, bankReference: 'R3', day: '2026-11-22' }])
    expect((await lines()).at(-1)).toEqual({
      ...{ state: 'review', why: expect.stringContaining('came back already') },
    })
  })

  it('that is canceled frees its payouts for another one', async () => {
    const { id } = await anchor.withdrawal('sepa', ASHA)
    const file = (await create()).json()
    expect((await anchor.asOperator('POST', `/payout-files/${file.id}/cancel`)).json().status).toBe(
      'canceled',
    )
    expect(codeOf(await approve(file.id))).toEqual([409, 'payout-file-decided'])
    expect((await create()).json().payouts).toBe(1)
    expect(await anchor.state(id)).toBe('paying_out')
    expect(codeOf(await approve('none'))).toEqual([404, 'payout-file-not-found'])
    expect(codeOf(await create('UPI'))).toEqual([404, 'not-found'])
  })

  it('cannot be approved once a statement has one of its payouts', async () => {
    const [paid, unpaid] = [await anchor.withdrawal('sepa', ASHA), await anchor.withdrawal('sepa', ASHA)]
    const file = (await create()).json()
    // Money that comes with its code ends no payout that is not at the bank.
    await statement([{ amount: unpaid.money, text: unpaid.code, bankReference: 'A1' }])
    expect(await anchor.state(unpaid.id)).toBe('paying_out')
    await statement([{ amount: paid.money, direction: 'out', text: paid.code, bankReference: 'A2' }])
    expect(await anchor.state(paid.id)).toBe('completed')
    const refused = await approve(file.id)
    expect(codeOf(refused)).toEqual([409, 'payout-file-decided'])
    expect(refused.json().detail).toContain('Cancel it')
    await anchor.asOperator('POST', `/payout-files/${file.id}/cancel`)
    expect((await create()).json()).toMatchObject({ payouts: 1, total: String(Number(unpaid.money)) })
  })

  it('leaves out a payout that a debit names, before and after the debit is matched', async () => {
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    await anchor.upload(
      'SEPA',
      'x.xml',
      camt053([{ amount: money, direction: 'out', text: code, bankReference: 'A3' }]),
    )
    expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
    await matchLines(anchor.deps)
    expect(await anchor.state(id)).toBe('completed')
    expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
  })

  it('never has a payout of another file, also where several are made at once or the server dies', async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 3; count++) ids.add((await anchor.withdrawal('sepa', ASHA)).id)
    for (const point of ['file:locked', 'file:added', 'file:committed']) {
      const at = (name: string) => {
        if (name === point) throw new Error('the process died')
      }
      await expect(createPayoutFile({ ...anchor.deps, faults: { at } }, 'SEPA', one)).rejects.toThrow('died')
    }
    await anchor.withdrawal('sepa', ASHA)
    const answers = await Promise.all([create(), create(), create()])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409])
    const rows = await anchor.rows<{ content: string }>(
      `select transfer_id from bank_payouts p join payout_files f on f.id = p.file_id and f.payouts <>
        (select count(*) from bank_payouts where file_id = f.id) where f.state <> 'canceled'`,
    )
    expect(rows).toEqual([])
    await expect(
      anchor.rows('update bank_payouts set file_id = null where file_id is not null'),
    ).rejects.toThrow('a payout is in one file at most')
    for (const change of [
      'update bank_payouts set amount = amount + 1',
      "update bank_payouts set code = 'P' || code",
      'delete from bank_payouts',
      "update payout_files set created_by = 'operator:none'",
    ])
      await expect(anchor.rows(change)).rejects.toThrow('cannot be changed or deleted')
  })

  it('waits for statements after a restore, since a lost file may be at the bank', async () => {
    await anchor.withdrawal('sepa', ASHA)
    const sent = (await create()).json()
    await approve(sent.id)
    await anchor.withdrawal('sepa', ASHA)
    const open = (await create()).json()
    const { id, code, money } = await anchor.withdrawal('sepa', ASHA)
    const restored = await restoredAt('2046-11-23T10:00:00Z')
    const attempts = async () => {
      const answers = [
        await restored.asOperator('POST', '/rails/SEPA/payout-files', { by: one }),
        await restored.approve(open.id, other),
        await restored.asOperator('POST', `/payout-files/${sent.id}/download`),
      ]
      return answers.map(answer => answer.statusCode < 300 || answer.json())
    }
    const missing = (detail: string) =>
      Array(3).fill(
        expect.objectContaining({ code: 'statements-missing', detail: expect.stringContaining(detail) }),
      )
    expect(await attempts()).toEqual(missing('Upload the statements up to 2046-11-25'))
    // A server that was connected before knows it too.
    expect(codeOf(await create())).toEqual([409, 'statements-missing'])
    const day = { direction: 'out', day: '2046-11-25' } as const
    await restored.read(
      'SEPA',
      'y.xml',
      camt053([
        { amount: money, endToEndId: code, ...day },
        { amount: '99.00', text: 'FFFFFFFFFFFFFFF', ...day },
      ]),
    )
    expect(await anchor.state(id)).toBe('completed')
    expect(await attempts()).toEqual(missing('not explained yet'))
    const later = { amount: '98.00', direction: 'out', text: 'nothing', day: '2046-11-26' } as const
    await restored.read('SEPA', 'z.xml', camt053([later]))
    const ignoreDebits = async (until: string) => {
      for (const { id, direction, bookedOn } of (await restored.get('/statement-lines?status=review')).json())
        if (direction === 'out' && bookedOn <= until)
          await restored.asOperator('POST', `/statement-lines/${id}/decide`, {
            ...{ decision: 'ignore', as: 'own', reason: 'a payment of ours', by: one },
          })
    }
    await ignoreDebits('2046-11-25')
    expect(await attempts()).toEqual([expect.objectContaining({ code: 'no-payouts-waiting' }), true, true])
    await ignoreDebits('2046-11-26')
    await restored.release()
    await setRestored('')
  })

  it('that the restored state lacks is found by its debit, and ends its payouts', async () => {
    const withdrawals = [
      await anchor.withdrawal('sepa', ASHA),
      await anchor.withdrawal('sepa', ASHA),
      await anchor.withdrawal('sepa', ASHA),
    ]
    const [first, second, third] = withdrawals
    const ids = await anchor.rows<{ id: string }>(
      `select id from bank_payouts where code in ('${first?.code}', '${third?.code}')`,
    )
    const code = payoutFileCode(ids)
    const restored = await restoredAt('2046-12-01T10:00:00Z')
    const amount = (Number(first?.money) + Number(third?.money)).toFixed(2)
    const booking = { amount, direction: 'out', text: `SCT ${code}`, day: '2046-12-01' } as const
    await restored.read('SEPA', 'batch.xml', camt053([booking]))
    const states = async () => Promise.all(withdrawals.map(({ id }) => anchor.state(id)))
    expect(await states()).toEqual(['completed', 'paying_out', 'completed'])

    const next = () => restored.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
    expect(codeOf(await next())).toEqual([409, 'statements-missing'])
    await restored.read('SEPA', 'quiet.xml', camt053([], { closingDay: '2046-12-03' }))
    const file = (await next()).json()
    expect(file).toMatchObject({ payouts: 1, total: String(Number(second?.money)) })
    await restored.asOperator('POST', `/payout-files/${file.id}/cancel`)
    const again = (await next()).json()
    expect(again.code).not.toBe(file.code)
    await setRestored('2047-01-01T10:00:00Z')
    expect(codeOf(await next())).toEqual([409, 'statements-missing'])
    await setRestored('')
    expect(codeOf(await next())).toEqual([409, 'no-payouts-waiting'])
    await restored.release()
  })
})

const setRestored = (value: string) =>
  anchor.rows(
    `do $$ begin execute format('alter database %I set windlass.restored_at = %L', current_database(), '${value}'); end $$`,
  )

/** The server on a database that was restored then. */
async function restoredAt(at: string): Promise<BankAnchor> {
  await setRestored(at)
  return BankAnchor.start(anchor)
}

it('a return goes to the payer’s account, or to one that two operators agree on', async () => {
  for (const [name, account] of [
    ['Asha Rao', ASHA.dest],
    [undefined, undefined],
  ] as const) {
    const reference = `R${Math.random()}`
    await statement([
      { amount: '12.00', text: 'nothing', bankReference: reference, ...(name ? { name, account } : {}) },
    ])
    const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
      reference,
    ])
    await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
      ...{ decision: 'return', reason: 'unknown payer', by: one },
    })
  }
  await anchor.sendOrders()
  const waiting = (await anchor.get('/payouts')).json()
  const missing = waiting.find(({ hasAccount }: { hasAccount: boolean }) => !hasAccount)
  expect(waiting).toHaveLength(2)
  expect((await create()).json()).toMatchObject({ payouts: 1, total: '12' })
  expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
  const set = (account: object) =>
    anchor.asOperator('PUT', `/payouts/${missing.id}/account`, { ...account, by: one })
  expect(codeOf(await set({ ...ASHA, dest: 'DE00' }))).toEqual([400, 'validation-failed'])
  const asked = await set(ASHA)
  expect([asked.statusCode, asked.json().hasAccount]).toEqual([200, false])
  expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
  const path = `/return-accounts/${asked.json().accountWish.id}/decision`
  const approved = await anchor.asOperator('POST', path, { approve: true, by: other })
  expect([approved.statusCode, approved.json().hasAccount]).toEqual([200, true])
  expect((await create()).json().payouts).toBe(1)
  expect(codeOf(await set(ASHA))).toEqual([404, 'payout-not-found'])
})

it('a return decided again after its debit was read goes into no file, and is matched to the debit', async () => {
  await statement([{ amount: '13.00', text: 'nothing', bankReference: 'T1', name: 'A', account: ASHA.dest }])
  const lineOf = async (reference: string) =>
    (await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [reference]))[0]
      ?.id
  const decide = async (reference: string, decision: object) =>
    anchor.asOperator('POST', `/statement-lines/${await lineOf(reference)}/decide`, {
      ...{ ...decision, reason: 'after the restore', by: one },
    })
  await decide('T1', { decision: 'return' })
  const [order] = await anchor.rows<{ id: string }>(
    "select id from rail_orders where destination->>'paymentId' = $1",
    [await lineOf('T1')],
  )
  const code = payoutCode(order?.id ?? '')
  await statement([{ amount: '13.00', direction: 'out', text: code, bankReference: 'T2' }])
  expect((await decide('T2', { decision: 'match' })).statusCode).toBe(400)
  await anchor.sendOrders()
  expect(codeOf(await create())).toEqual([409, 'no-payouts-waiting'])
  const matched = await decide('T2', { decision: 'match' })
  expect([matched.statusCode, matched.json()]).toMatchObject([
    200,
    { status: 'matched', payoutId: order?.id },
  ])
  expect((await anchor.get('/payouts')).json()).toEqual([])
})

it('a server that dies while it matches lines does everything once', async () => {
  const { id, reference, money } = await anchor.deposit()
  await anchor.upload('SEPA', 'k.xml', camt053([{ amount: money, text: reference, bankReference: 'K1' }]))
  for (const point of ['line:locked', 'line:explained', 'line:matched']) {
    const at = (name: string) => {
      if (name === point) throw new Error('the process died')
    }
    await anchor.rows("update bank_lines set next_try_at = now() where state = 'new'")
    await expect(matchLines({ ...anchor.deps, faults: { at } })).rejects.toThrow('died')
  }
  await matchLines(anchor.deps)
  expect(await anchor.state(id)).toBe('funded')
  const effects = await anchor.rows(
    `select (select count(*)::int from ledger_payments where transfer_id = $1) as payments,
      (select count(*)::int from journal_entries where transfer_id = $1) as entries`,
    [id],
  )
  expect(effects).toEqual([{ payments: 1, entries: 1 }])
})

it.each([
  ['without a holder’s name', {}, 'account'],
  ['whose holder’s name has no Latin letters', { dest_name: '☺☻✿' }, 'latin-name'],
])('a payout %s gets one from an operator, and no other account', async (_, name, missing) => {
  const own = await BankAnchor.start()
  const { id } = await own.withdrawal('sepa', { dest: ASHA.dest, ...name })
  expect((await own.get('/payouts')).json()).toMatchObject([{ hasAccount: false, missing }])
  const [payout] = await own.rows<{ id: string }>('select id from bank_payouts where transfer_id = $1', [id])
  const path = `/payouts/${payout?.id}/account`
  const make = () => own.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
  const stranger = { dest: 'NL91ABNA0417164300', dest_name: 'Someone Else' }
  expect(codeOf(await own.asOperator('PUT', path, { ...stranger, by: one }))).toEqual([
    400,
    'validation-failed',
  ])
  expect(codeOf(await make())).toEqual([409, 'no-payouts-waiting'])
  const added = await own.asOperator('PUT', path, { dest_name: 'Asha Rao', by: one })
  expect([added.statusCode, added.json().hasAccount]).toEqual([200, true])
  const { id: file } = (await make()).json()
  await own.approve(file, other)
  const { body } = await own.asOperator('POST', `/payout-files/${file}/download`)
  expect(body).toContain('<Cdtr><Nm>Asha Rao</Nm></Cdtr>')
  expect(body).toContain(`<IBAN>${ASHA.dest}</IBAN>`)
  await own.close()
})
