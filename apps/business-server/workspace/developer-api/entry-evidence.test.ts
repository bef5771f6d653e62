import type { JournalEntry } from '@windlass/contracts/anchor/developer-api.ts'
import { formatAmount, amountOf, parseAmount } from '@windlass/money/amount.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const entries = async (query: Record<string, string>, key = 'key') => {
  const { app } = anchor.deps && anchor.app.server
  const url = `/api/v1/journal?${new URLSearchParams(query)}`
  return (await app.inject({ url, headers: { authorization: `Bearer ${key}` } })).json<JournalEntry[]>()
}
async function decide(begin: string, decision: object) {
  const waiting = (await anchor.get('/statement-lines?status=review')).json<{ id: string; text: string }[]>()
  const id = waiting.find(({ text }) => text.startsWith(begin))?.id
  const body = { reason: `because of ${begin}`, by: 'operator:one', ...decision }
  expect((await anchor.asOperator('POST', `/statement-lines/${id}/decide`, body)).statusCode).toBe(200)
  return id
}

it('each amount of the trial balance leads to its entries, and these to line, file and decision', async () => {
  const deposit = await anchor.deposit('sepa', '100')
  const less = (Number(deposit.money) - 0.05).toFixed(2)
  await anchor.asOperator('PUT', '/journal/settings', {
    ...{ timeZone: 'UTC', charges: { tolerance: '0.1', returnsBorneBy: 'anchor' }, by: 'operator:one' },
  })
  await anchor.read(
    'SEPA',
    'november.xml',
    camt053([
      { amount: '5000.00', text: 'Contribution', day: '2026-11-20' },
      { amount: less, text: deposit.reference, day: '2026-11-20' },
      { amount: '7.90', text: 'Fee', direction: 'out', day: '2026-11-21' },
    ]),
  )
  await decide('Contribution', { decision: 'ignore', as: 'own', account: 'capital' })
  const fee = await decide('Fee', { decision: 'ignore', as: 'own', account: 'interest' })
  const reversal = { reason: 'it is a charge', by: 'operator:one' }
  await anchor.asOperator('POST', `/statement-lines/${fee}/reversal`, reversal)
  await decide('Fee', { decision: 'ignore', as: 'own', account: 'charges' })

  const balances = (await anchor.get('/journal/balances?at=2026-11-30')).json<Record<string, string>[]>()
  expect(balances.map(({ account, unit }) => `${account} ${unit}`)).toContain('charges EUR')
  for (const { account = '', unit = '', amount } of balances) {
    const found = await entries({ account, unit, to: '2026-11-30' })
    const lines = found.flatMap(each =>
      each.lines.filter(line => line.account === account && line.unit === unit),
    )
    const sum = lines.reduce((total, line) => total + parseAmount(line.amount), 0n)
    expect([account, unit, formatAmount(amountOf(sum))]).toEqual([account, unit, amount])
    for (const { kind, restsOn } of found)
      if (unit === 'EUR') expect([kind, restsOn?.line?.fileName]).toEqual([kind, 'november.xml'])
  }

  const charges = await entries({ account: 'charges', unit: 'EUR' })
  expect(charges.map(({ kind }) => kind).toSorted()).toEqual(['bank-charge', 'own-money'])
  const own = charges.find(({ kind }) => kind === 'own-money')?.restsOn
  expect(own).toMatchObject({
    line: { id: fee, rail: 'SEPA', bookedOn: '2026-11-21', direction: 'out', amount: '7.9', text: 'Fee' },
    decisions: [
      { kind: 'own', account: 'interest', reason: 'because of Fee', requestedBy: 'operator:one' },
      { kind: 'reverse', account: null, reason: 'it is a charge' },
      { kind: 'own', account: 'charges', decidedBy: 'operator:one' },
    ],
    ...{ manualEntryId: null, reverses: null },
  })
  const settled = charges.find(({ kind }) => kind === 'bank-charge')
  expect(settled).toMatchObject({
    transactionId: deposit.id,
    restsOn: { line: { amount: String(Number(less)), text: deposit.reference }, decisions: [] },
  })
  const interest = await entries({ account: 'interest', unit: 'EUR' })
  const [reversed] = interest.filter(({ kind }) => kind === 'own-money')
  expect(interest.find(({ kind }) => kind === 'reversal')?.restsOn).toMatchObject({
    ...{ line: { id: fee }, reverses: reversed?.id },
  })
})

it('a key that does not read payers gets no text of the bank, and a period only its entries', async () => {
  const [first] = await entries({ account: 'capital' }, 'default')
  expect(first?.restsOn?.line).toMatchObject({ text: '', amount: '5000', fileName: 'november.xml' })
  expect(await entries({ account: 'capital', from: '2026-11-21', to: '2026-11-30' })).toEqual([])
  expect((await anchor.get('/journal?from=2026-02-30')).statusCode).toBe(400)
})
