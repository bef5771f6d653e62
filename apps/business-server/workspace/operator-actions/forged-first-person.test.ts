import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { factKinds } from '../../fact-kinds.ts'
import { askedActions } from '../../money/approvals/approvals.ts'
import {
  bindFact,
  bindFactsAgain,
  bindListedFacts,
  type FactKind,
  isFactBound,
} from '../../money/bound-facts/bound-facts.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { withNewerKey } from '../../testing/newer-key.ts'

/* Someone with the login to the database writes that one person asked for something; one real person approves it. */

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const [asha, mira, ghost] = ['operator:asha', 'operator:mira', 'operator:ghost']
const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const decide = async (path: string, by = mira, approve = true) => {
  const answer = await anchor.asOperator('POST', path, { approve, by })
  return [answer.statusCode, answer.json<{ code?: string }>().code]
}
const REFUSED = [409, 'action-not-possible']
const PDF = { fileName: 'why.pdf', data: Buffer.from('%PDF-1.4 why').toString('base64') }

let lines = 0
async function lineId(amount = '7.00'): Promise<string> {
  const bankReference = `L${(lines += 1)}`
  await anchor.read('SEPA', `${bankReference}.xml`, camt053([{ bankReference, amount, text: 'hello' }]))
  const [row] = await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
    bankReference,
  ])
  return row?.id ?? ''
}

/** Writes a row that says that a ghost asked; resolves to where it is decided. */
const FORGED: Readonly<Record<string, () => Promise<string>>> = {
  'an action on a transaction': async () => {
    const { id } = await anchor.deposit()
    const action = randomUUID()
    await anchor.rows(
      `insert into operator_actions (id, transfer_id, kind, reason, state, requested_by, two_people)
       values ($1, $2, 'cancel', 'x', 'waiting', $3, true)`,
      [action, id, ghost],
    )
    return `/operator-actions/${action}/decision`
  },
  'a decision about a line of a statement': async () => {
    const line = await lineId()
    await anchor.rows(
      `insert into operator_actions (line_id, kind, reason, state, requested_by, two_people)
       values ($1, 'own', 'x', 'waiting', $2, true)`,
      [line, ghost],
    )
    return `/statement-lines/${line}/approval`
  },
  'the end of a difference': async () => {
    const id = randomUUID()
    await anchor.rows(
      `insert into reconciliation_differences (id, kind, subject, unit, amount, detail, proposed)
       values ($1, 'suspense', $3, 'EUR', 5, 'x', $2)`,
      [id, { resolution: 'other', reason: 'x', by: ghost, at: new Date().toISOString() }, id],
    )
    return `/reconciliation/differences/${id}/approval`
  },
  'an opening balance': async () => {
    const id = randomUUID()
    await anchor.rows(
      `insert into bank_openings (id, account, rail, currency, amount, day, reason, requested_by)
       values ($1, $3, 'SEPA', 'EUR', 5, '2026-01-01', 'x', $2)`,
      [id, ghost, anchor.deps.rails.get('SEPA')?.bankAccount?.account],
    )
    return `/opening-balances/${id}/decision`
  },
  'an entry of the journal that one person wrote otherwise': async () => {
    const made = await anchor.asOperator('POST', '/journal/manual-entries', {
      ...{ text: 'x', document: PDF, by: asha },
      lines: [
        { account: 'other-costs', unit: 'EUR', amount: '5' },
        { account: 'capital', unit: 'EUR', amount: '-5' },
      ],
    })
    const { id } = made.json<{ id: string }>()
    const copy = randomUUID()
    await anchor.rows(
      `insert into manual_entries (id, text, lines, file_name, digest, sealed, requested_by)
       select $2, text, replace(lines::text, '5', '5000')::jsonb, file_name, digest, sealed, $3
       from manual_entries where id = $1`,
      [id, copy, ghost],
    )
    return `/journal/manual-entries/${copy}/decision`
  },
  'that the bank rejected a file': async () => {
    await anchor.withdrawal('sepa', ASHA)
    await anchor.sendOrders()
    const { id } = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: asha })).json()
    await anchor.approve(id, mira)
    await anchor.rows(
      "insert into payout_file_rejections (file_id, reason, requested_by) values ($1, 'x', $2)",
      [id, ghost],
    )
    return `/payout-files/${id}/rejection/decision`
  },
}

describe('what the database says that someone asked for', () => {
  it.each(Object.keys(FORGED))('is not approved without a proof that they did: %s', async what => {
    const path = (await FORGED[what]?.()) ?? ''
    expect(await decide(path)).toEqual(REFUSED)
    // It is rejected, and can be asked for again.
    expect((await decide(path, mira, false))[0]).toBe(200)
  })

  it('is not approved as it reads with the proof of something else', async () => {
    const [first, second] = [await lineId(), await lineId()]
    const ask = (id: string) =>
      anchor.asOperator('POST', `/statement-lines/${id}/decide`, {
        ...{ decision: 'ignore', as: 'own', reason: 'x', by: asha },
      })
    await anchor.rows(
      `insert into operator_actions (line_id, kind, reason, state, requested_by, two_people)
       values ($1, 'own', 'x', 'waiting', $2, true)`,
      [second, asha],
    )
    await ask(first)
    await anchor.rows(
      `insert into bound_facts (kind, id, bound)
       select kind, (select id::text from operator_actions where line_id = $1), bound from bound_facts
       where kind = 'operator-action' limit 1 on conflict (kind, id) do update set bound = excluded.bound`,
      [second],
    )
    expect(await decide(`/statement-lines/${second}/approval`)).toEqual(REFUSED)
  })

  it('is not approved by a proof that was taken away', async () => {
    const ask = async () => {
      const lines = [
        { account: 'other-costs', unit: 'EUR', amount: '5' },
        { account: 'capital', unit: 'EUR', amount: '-5' },
      ]
      const wanted = { text: 'x', document: PDF, by: asha, lines }
      return (await anchor.asOperator('POST', '/journal/manual-entries', wanted)).json<{ id: string }>().id
    }
    const id = await ask()
    const [proof] = await anchor.rows<{ kind: string; bound: Buffer; nonce: string }>(
      'select * from bound_facts where id = $1',
      [id],
    )
    expect((await decide(`/journal/manual-entries/${id}/decision`, mira, false))[0]).toBe(200)
    const again = 'insert into bound_facts (kind, id, bound, nonce) values ($1, $2, $3, $4)'
    const values = [proof?.kind, id, proof?.bound, proof?.nonce]
    await expect(anchor.rows(again, values)).rejects.toThrow('a proof is used once')
    // Neither in the place of another one, nor after it was forgotten that it was used.
    const next = await ask()
    const over = 'update bound_facts set bound = $1, nonce = $2 where id = $3'
    await expect(anchor.rows(over, [proof?.bound, proof?.nonce, next])).rejects.toThrow('used once')
    for (const text of ['delete from spent_facts', "update spent_facts set bound = ''"])
      await expect(anchor.rows(text)).rejects.toThrow('history is only added to')
    // What people ask for again has a proof of its own.
    expect((await decide(`/journal/manual-entries/${next}/decision`))[0]).toBe(200)
  })

  it('is bound under a newer key as it was verified, whatever is written meanwhile', async () => {
    let value = 'asked'
    const fact: FactKind = { kind: 'test', rowOf: async () => [value] }
    const { db } = anchor.deps.database
    await bindFact(anchor.deps, db, fact, '1')
    const { rotating } = withNewerKey(anchor.deps)
    let reads = 0
    const changing: FactKind = { kind: 'test', rowOf: async () => [(reads += 1) === 1 ? 'asked' : 'forged'] }
    await bindFactsAgain(rotating, [changing])
    expect(await isFactBound(rotating, db, fact, '1')).toBe(true)
    value = 'forged'
    expect(await isFactBound(rotating, db, fact, '1')).toBe(false)
    await anchor.rows("delete from bound_facts where kind = 'test'")
    await bindFactsAgain(anchor.deps, factKinds)
  })

  it('is bound once where it waited at the upgrade, and by nothing that is added to the list', async () => {
    const listing = "insert into bound_facts (kind, id) values ('operator-action', $1)"
    await expect(anchor.rows(listing, [randomUUID()])).rejects.toThrow('was listed by the migration')
    const path = (await FORGED['an action on a transaction']?.()) ?? ''
    const [, , id = ''] = path.split('/')
    await anchor.rows('alter table bound_facts disable trigger filled_once')
    for (const each of [id, randomUUID()]) await anchor.rows(listing, [each])
    await anchor.rows('alter table bound_facts enable trigger filled_once')
    await bindListedFacts(anchor.deps, factKinds)
    expect(await anchor.rows('select from bound_facts where bound is null')).toEqual([])
    const { rotating, newOnly } = withNewerKey(anchor.deps)
    await bindFactsAgain(rotating, factKinds)
    expect(await isFactBound(newOnly, anchor.deps.database.db, askedActions, id)).toBe(true)
    await bindFactsAgain(anchor.deps, factKinds)
  })

  it('is approved where it waited at the upgrade, and its proof goes with it', async () => {
    const path = (await FORGED['an action on a transaction']?.()) ?? ''
    const [, , id = ''] = path.split('/')
    await anchor.rows('alter table bound_facts disable trigger filled_once')
    await anchor.rows("insert into bound_facts (kind, id) values ('operator-action', $1)", [id])
    await anchor.rows('alter table bound_facts enable trigger filled_once')
    expect((await decide(path))[0]).toBe(200)
    expect(await anchor.rows('select from bound_facts where id = $1', [id])).toEqual([])
  })
})
