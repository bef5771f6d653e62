import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { factKinds } from '../../fact-kinds.ts'
import { migrations } from '../../migrations.ts'

it('what waits when the proofs come is bound once, what was decided is not, and nobody adds to it', async () => {
  const [, folder = ''] = migrations
  const before = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const file of readdirSync(folder)) if (file < '0420') cpSync(join(folder, file), join(before, file))
  const database = await testDatabase()
  const { pool, close } = openDatabase(database.url, { name: 'test' })
  const rows = async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows
  try {
    await migrate(pool, [sharedMigrations, before])
    for (const [cause, cameBack, settled] of [
      ['waits', 'now()', 'null'],
      ['settled', 'now()', "'paid-again'"],
      ['paid', 'null', 'null'],
    ])
      await rows(`insert into rail_orders (cause, kind, rail, amount, currency, destination, state, came_back_at, settled_as)
        values ('${cause}', 'return', 'UPI', 1, 'INR', '{}', 'paid', ${cameBack}, ${settled})`)
    await rows(`insert into operator_actions (order_id, kind, reason, state, requested_by, two_people)
      select id, 'pay-again', 'x', 'waiting', 'operator:1', true from rail_orders where cause = 'waits'`)
    await rows(`insert into bank_openings (account, rail, currency, amount, day, reason, requested_by)
      values ('A', 'SEPA', 'EUR', 5, '2026-01-01', 'x', 'operator:1')`)
    await rows(`insert into manual_entries (id, text, lines, file_name, digest, sealed, requested_by)
      values (gen_random_uuid(), 'x', '[]', 'x', '', '', 'operator:1')`)
    await rows(`insert into reconciliation_differences (kind, subject, unit, amount, detail, proposed)
      values ('suspense', 'a', 'EUR', 5, 'x', '{"by": "operator:1"}'), ('suspense', 'b', 'EUR', 5, 'x', null)`)
    await rows(`insert into ledger_incidents (kind, subject, details, resolved_at, ended_as) values
      ('history-gap', '1', '{}', null, null), ('history-gap', '2', '{}', now(), 'nothing-missing')`)
    await rows(`insert into rail_disputes (rail, dispute_id, payment_id, currency, amount, state, reason)
      values ('UPI', 'd1', 'p1', 'INR', 1, 'won', 'x')`)

    await rows(`insert into ledger_incidents (kind, subject, details, resolved_at, ended_as) values
      ('held-receipt', 'held', '{}', null, null), ('held-receipt', 'ended', '{}', now(), 'transaction-applied')`)
    await rows(
      `insert into treasury_settings (low, xlm_low, by) values (1, 1, 'operator:1'), (2, 1, 'operator:1')`,
    )
    await rows(`insert into ledger_payments (cause, purpose, destination, amount, state, paid_at) values
      ('waits', 'refund', 'GA', 1, 'queued', null), ('paid', 'refund', 'GA', 1, 'paid', now()),
      ('canceled', 'refund', 'GA', 1, 'canceled', null)`)
    for (const [reference, state] of [
      ['W1', 'awaiting_funds'],
      ['W2', 'completed'],
    ])
      await rows(`insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, reference)
        values (gen_random_uuid(), '24', 'deposit', '${state}', 'GA', 'GA', 'UPI', 'INR', '${reference}')`)

    await migrate(pool, migrations)

    const payments = 'select cause from payments_to_bind join ledger_payments on id = payment_id'
    expect(await rows(payments)).toEqual([{ cause: 'waits' }])
    const deposits = 'select reference from transfers_to_bind join transfers on id = transfer_id'
    expect(await rows(deposits)).toEqual([{ reference: 'W1' }])
    const settings = "select id from bound_facts where kind = 'treasury-settings'"
    expect(await rows(settings)).toEqual([{ id: '2' }])
    const listed = await rows<{ kind: string }>(
      'select kind from bound_facts where bound is null order by kind',
    )
    expect(listed.map(({ kind }) => kind)).toEqual([
      ...[
        'bank-opening',
        'came-back',
        'difference',
        'dispute',
        'held-receipt',
        'history-gap',
        'manual-entry',
      ],
      ...['operator-action', 'treasury-settings'],
    ])
    const known = factKinds.map(({ kind }) => kind)
    expect(listed.filter(({ kind }) => !known.includes(kind))).toEqual([])
    const add = "insert into bound_facts (kind, id) values ('came-back', 'x')"
    await expect(rows(add)).rejects.toThrow('was listed by the migration')
    await expect(rows("update bound_facts set id = 'x' where kind = 'dispute'")).rejects.toThrow('was listed')
  } finally {
    await close()
    await database.drop()
    rmSync(before, { recursive: true })
  }
})
