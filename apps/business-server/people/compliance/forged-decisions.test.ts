import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { withNewerKey } from '../../testing/newer-key.ts'
import { euXml } from '../../testing/sanctions-lists.ts'
import { bindDecisionsAgain } from './hits.ts'

/* Someone with the login to the database writes that people decided about a hit. */

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
  const query = new URLSearchParams({ fileName: 'list.xml', by: asha })
  const loaded = await bank.app.server.app.inject({
    ...{ method: 'POST', url: `/admin/sanctions-lists?${query}` },
    headers: { ...asPlatform(bank.deps.config.secrets), 'content-type': 'application/octet-stream' },
    payload: euXml([{ id: 1, name: 'Qadir Testov' }]),
  })
  expect(loaded.statusCode).toBe(201)
})
afterAll(() => bank.close())

const [asha, ben] = ['operator:asha', 'operator:ben']

let payers = 0
/** A deposit that someone on the list paid, each from an account of its own. */
async function held(): Promise<{ id: string; hit: string }> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name: 'Qadir Testov', account: `ACC${(payers += 1)}` }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await tryAgain()
  const [hit] = await bank.rows<{ hit_id: string }>(
    'select hit_id from screening_holds where subject_id = $1',
    [id],
  )
  return { id, hit: hit?.hit_id ?? '' }
}
async function tryAgain(): Promise<void> {
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(bank.deps)
}
const paymentOf = async (id: string) =>
  (await bank.rows('select state, wait_code from ledger_payments where transfer_id = $1', [id]))[0]
const statusOf = async (hit: string) =>
  (await bank.get('/screening-hits')).json<ScreeningHit[]>().find(({ id }) => id === hit)?.status
const decide = async (hit: string, decision: 'clear' | 'confirm', by: string, deps = bank) => {
  const said = { decision, reason: 'Born in another year.', by }
  const answer = (await deps.asOperator('POST', `/screening-hits/${hit}/decision`, said)).json<{
    code?: string
    status: unknown
  }>()
  return answer.code ?? answer.status
}
const HELD = { state: 'queued', wait_code: 'screening' }
const PAID = { state: 'paid', wait_code: null }

describe('a hit that holds money', () => {
  it('is not cleared by someone who writes it: it waits again, and people see it', async () => {
    const { id, hit } = await held()
    await bank.rows("update screening_hits set state = 'cleared' where id = $1", [hit])
    await tryAgain()
    expect([await paymentOf(id), await statusOf(hit)]).toEqual([HELD, 'waiting'])
    expect([await decide(hit, 'clear', asha), await decide(hit, 'clear', asha)]).toEqual([
      'waiting',
      'second-person-needed',
    ])
    expect(await decide(hit, 'clear', ben)).toBe('cleared')
    await tryAgain()
    expect(await paymentOf(id)).toEqual(PAID)
  })

  it('is not cleared by the proof of another one, nor taken away with what it holds', async () => {
    const [own, other] = [await held(), await held()]
    for (const by of [asha, ben]) await decide(other.hit, 'clear', by)
    await bank.rows(
      `update screening_hits own set state = 'cleared', cleared = o.cleared, decided = o.decided
       from screening_hits o where own.id = $1 and o.id = $2`,
      [own.hit, other.hit],
    )
    await tryAgain()
    expect([await paymentOf(own.id), await paymentOf(other.id)]).toEqual([HELD, PAID])
    for (const text of [
      'delete from screening_holds where hit_id = $1',
      "update screening_holds set subject_id = 'x' where hit_id = $1",
      'delete from screening_hits where id = $1',
      'update screening_hits set name_id = (select id from screened_names where id <> name_id limit 1) where id = $1',
    ])
      await expect(bank.rows(text, [own.hit])).rejects.toThrow('history is only added to')
  })

  it.each([
    ['that another one cleared it first', 'waiting', 'clear', 'waiting'],
    ['that another one confirmed it', 'confirmed', 'confirm', 'waiting'],
  ] as const)('is not cleared by one person since someone writes %s', async (_, state, decision, after) => {
    const { id, hit } = await held()
    await bank.rows(
      "insert into screening_decisions (hit_id, decision, reason, by) values ($1, $2, 'x', 'operator:ghost')",
      [hit, decision],
    )
    await bank.rows('update screening_hits set state = $2 where id = $1', [hit, state])
    await decide(hit, 'clear', asha)
    await tryAgain()
    expect([await paymentOf(id), (await statusOf(hit)) === 'cleared']).toEqual([HELD, after !== 'waiting'])
    expect(await decide(hit, 'clear', ben)).toBe('cleared')
    await tryAgain()
    expect(await paymentOf(id)).toEqual(PAID)
  })

  it('that a person confirmed is cleared by another one, also where someone writes that it waits', async () => {
    const { hit } = await held()
    expect(await decide(hit, 'confirm', asha)).toBe('confirmed')
    await bank.rows("update screening_hits set state = 'waiting' where id = $1", [hit])
    expect(await decide(hit, 'clear', asha)).toBe('second-person-needed')
    expect(await decide(hit, 'clear', ben)).toBe('cleared')
  })

  it('is decided under a newer key as before', async () => {
    const [cleared, first] = [await held(), await held()]
    for (const by of [asha, ben]) await decide(cleared.hit, 'clear', by)
    await decide(first.hit, 'clear', asha)
    const { rotating, newOnly } = withNewerKey(bank.deps)
    await bindDecisionsAgain(rotating)
    await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
    const { binder } = bank.deps
    bank.deps.binder = newOnly.binder
    expect(await decide(first.hit, 'clear', ben)).toBe('cleared')
    bank.deps.binder = binder
    const rows = await bank.rows<{ cleared: Buffer }>('select cleared from screening_hits where id = $1', [
      cleared.hit,
    ])
    expect(newOnly.binder.isBound(rows[0]?.cleared ?? null, ['screening_hits', cleared.hit, 'cleared'])).toBe(
      true,
    )
  })
})
