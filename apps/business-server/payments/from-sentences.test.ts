import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { migrations } from '../migrations.ts'
import type { LedgerIncident } from '../tables.ts'
import { incidentForm } from './incidents.ts'
import { describeWait, waitOf, type WaitColumns } from './waits.ts'

/** What the release before wrote. Each says the same afterwards. */
const waits = [
  ['treasury-short', 'The anchor cannot pay out this amount at the moment. It pays as soon as it can.'],
  ['xlm', 'needs 2.5 XLM'],
  ['no-account', 'The account does not exist. Create it and add a trustline for MUMBAI to receive it.'],
  ['no-trustline', 'Trustline missing. Add a trustline for MUMBAI to receive it.'],
  ['trustline-full', 'The trustline cannot hold the amount. Raise its limit or cancel offers to buy MUMBAI.'],
  ['not-authorized', 'The issuer has not authorized the trustline for MUMBAI. It is checked again.'],
  [
    'treasury-frozen',
    'The issuer has not authorized the anchor to pay this asset at the moment. The anchor pays as soon as it can.',
  ],
  ['unproven', 'An operator must say whether it was paid: no Horizon has this part of the history.'],
  ['screening', 'An operator must decide about a hit of compliance screening.'],
  [
    'travel-data',
    'The travel rule asks for more about the customer: first_name, city. It is paid once the customer sends it by SEP-12.',
  ],
  ['unavailable', 'Horizon does not answer.'],
] as const

const [G, H] = [`G${'A'.repeat(55)}`, 'a'.repeat(64)]
const incidents: [kind: string, subject: string, message: string, details: object][] = [
  [
    'history-gap',
    '7',
    'Horizon no longer has the ledgers 8 to 20. The distribution account holds 75 MUMBAI, 25 MUMBAI more than recorded. Find these payments in a full history, return or credit them, then resolve the incident.',
    { lastRead: 7, elder: 21, expected: '50', actual: '75', difference: '25' },
  ],
  [
    'network-reset',
    'x',
    'The network was reset. 3 open transfers continue on the new chain.',
    { lastLedger: 5, transfers: [] },
  ],
  [
    'unreadable-payment',
    `${H}:123`,
    `The payment 123 in transaction ${H} could not be processed. It is tried again.`,
    { transaction: H, error: 'odd' },
  ],
  [
    'unproven-payment',
    H,
    `The payment of 10 MUMBAI to ${G} was signed as transaction ${H}, and no Horizon has the ledgers in which it was applied or replaced. The distribution account holds -10 MUMBAI more than the journal: -10 means that it was applied, 0 that it was not. Look the transaction up in a full history, then resolve the incident with the outcome.`,
    { payment: 'p', transaction: H, sequence: '5', amount: '10', difference: '-10' },
  ],
  [
    'unrecorded-payment',
    `unrecorded:${H}:0`,
    `Transaction ${H} paid 10 MUMBAI to ${G} and is not recorded here: it was made after the state of the database that was restored, or by someone else who has the account's key. It is the payment of deposit d1. Have the rail report the deposit's money again (reference ABC-7, 950.5 INR): the deposit is then completed without a second payment. If the customer has paid again since, return that payment.`,
    { transaction: H, amount: '10', destination: G, deposit: 'd1' },
  ],
  [
    'held-receipt',
    'ledger:1',
    `5 MUMBAI came from ${G} (transaction ${H}, memo a (b)) before the database was restored, and no withdrawal here accepts it. Its withdrawal may have been made and paid out after the state that was restored. Look for it in the statements of your rails, then say whether it was paid out. If not, it is refunded.`,
    { transaction: H, amount: '5', sender: G },
  ],
  [
    'held-receipt',
    'rail:UPI:1',
    '5 INR came over UPI (payment 1) for a transaction that an operator marked as paid before. If it is the same payment, say that it was paid. If the customer paid twice, say that it was not: then it is returned.',
    { rail: 'UPI', payment: '1', reference: 'R', amount: '5', currency: 'INR' },
  ],
]

it('says after an upgrade what it said before, by codes', async () => {
  const [, folder = ''] = migrations
  const before = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const file of readdirSync(folder)) if (file < '0091') cpSync(join(folder, file), join(before, file))
  const database = await testDatabase()
  const { pool, close } = openDatabase(database.url, { name: 'test' })
  const rows = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await pool.query<Row>(sql, values)).rows
  try {
    await migrate(pool, [sharedMigrations, before])
    for (const [code, sentence] of waits)
      await rows(
        `insert into ledger_payments (cause, purpose, destination, amount, claimable, waits_for)
         values ($1, 'refund', 'G', '1', false, $2)`,
        ...[code, sentence],
      )
    for (const code of ['screening', 'unbound'])
      await rows(
        `insert into rail_orders (cause, kind, rail, amount, currency, destination, waits_for)
         values ($1, 'payout', 'UPI', '1', 'INR', '{}', $2)`,
        ...[code, waits.find(([each]) => each === code)?.[1] ?? 'This server did not order it.'],
      )
    for (const [paymentId, why] of [
      ['1', 'an operator marked it as paid'],
      ['2', 'as agreed'],
    ])
      await rows(
        `insert into rail_receipts (rail, payment_id, amount, currency, outcome, why)
         values ('UPI', $1, '1', 'INR', 'accepted', $2)`,
        ...[paymentId, why],
      )
    for (const [index, incident] of incidents.entries())
      await rows(
        `insert into ledger_incidents (kind, subject, message, details, found_at)
         values ($1, $2, $3, $4, now() + $5 * interval '1 s')`,
        ...[...incident, index],
      )
    await rows(
      `insert into ledger_incidents (kind, subject, message, resolved_at, resolution, found_at)
       values ('unproven-payment', 'u', '', now(), 'The transaction was applied.', now() + interval '1 h')`,
    )

    await migrate(pool, migrations)

    const payments = await rows<WaitColumns & { cause: string }>(
      'select * from ledger_payments order by created_at',
    )
    const said = payments.map(each => {
      const wait = waitOf(each)
      return [wait?.code, wait && describeWait(wait)]
    })
    expect(said).toEqual(waits)
    expect(payments.map(({ cause }) => cause)).toEqual(waits.map(([code]) => code))
    expect(await rows('select cause = wait_code as kept from rail_orders')).toEqual([
      { kept: true },
      { kept: true },
    ])
    expect(await rows('select source from rail_receipts order by payment_id')).toEqual([
      { source: 'operator' },
      { source: 'rail' },
    ])
    const found = await rows<LedgerIncident>('select * from ledger_incidents order by found_at')
    const forms = found.map(incidentForm)
    expect(forms.slice(0, -1).map(({ message }) => message)).toEqual(
      incidents.map(([, , message]) => message),
    )
    expect(forms.at(-1)).toMatchObject({
      resolution: 'The transaction was applied.',
      endedAs: 'transaction-applied',
    })
    const gone =
      "insert into ledger_payments (cause, purpose, destination, amount, wait_code) values ('x', 'refund', 'G', 1, 'It waits.')"
    await expect(rows(gone)).rejects.toThrow('wait_code_check')
  } finally {
    await close()
    await database.drop()
    rmSync(before, { recursive: true })
  }
})
