import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { decimalsOf } from '@windlass/money/number-text.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import { readMt940 } from './mt940.ts'
import { StatementError, type StatementItem } from './statement.ts'

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
})
afterAll(() => app.close())

/** Why an amount of money is refused; null: it is taken. */
type Entry = (amount: string, currency: string) => Promise<string | null>

/** A rail reports it, of a rupee account. */
const webhook: Entry = async amount => {
  const paymentId = randomUUID()
  const secret = app.deps.config.rails.get('UPI')?.webhookSecrets[0] ?? ''
  const body = JSON.stringify({ type: 'payment.received', paymentId, reference: 'none', amount })
  const signed = signWebhook(secret, randomUUID(), body, new Date())
  const answer = await app.server.app.inject({
    ...{ method: 'POST', url: '/api/v1/rails/UPI/webhook', payload: body },
    headers: { 'content-type': 'application/json', ...signed },
  })
  const recorded = await app.deps.database.pool.query('select from rail_receipts where payment_id = $1', [
    paymentId,
  ])
  expect(recorded.rows).toHaveLength(answer.statusCode === 200 ? 1 : 0)
  return answer.statusCode === 200 ? null : answer.json<{ detail: string }>().detail
}

const quoted =
  (side: 'sell' | 'buy'): Entry =>
  async amount => {
    const units = `stellar:MUMBAI:${app.deps.config.anchor.accounts.issuer}`
    const assets = ['iso4217:INR', units]
    const [sell_asset = '', buy_asset = ''] = side === 'sell' ? assets : assets.toReversed()
    const query = new URLSearchParams({
      type: 'indicative',
      sell_asset,
      buy_asset,
      [`${side}_amount`]: amount,
    })
    const headers = { 'x-api-key': app.deps.config.secrets.link }
    const answer = await app.server.app.inject({ url: `/rate?${query}`, headers })
    return answer.statusCode === 200 ? null : answer.json<{ detail: string }>().detail
  }

async function faultOf(items: AsyncIterable<StatementItem>): Promise<string | null> {
  try {
    for await (const item of items) if (item.kind === 'unread') return item.error.message
    return null
  } catch (error) {
    if (error instanceof StatementError) return error.message
    throw error
  }
}

const camt: Entry = (amount, currency) => {
  const entry = `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>2026-11-02</Dt></BookgDt></Ntry>`
  const text = `<Document><BkToCstmrStmt><Stmt><Id>1</Id>${entry}</Stmt></BkToCstmrStmt></Document>`
  return faultOf(readCamt([Buffer.from(text)], 'camt.053', 'utf-8'))
}

const mt940: Entry = (amount, currency) => {
  const booking = `:61:261102C${amount.replace('.', ',').replace(/^\d+$/, '$&,')}NTRFNONREF`
  const fields = [
    ':20:1',
    ':25:1',
    ':28C:1/1',
    `:60F:C261101${currency}0,`,
    booking,
    `:62F:C261102${currency}0,`,
  ]
  return faultOf(readMt940([Buffer.from([...fields, '-'].join('\r\n'))], 'utf-8'))
}

const csv: Entry = (amount, currency) => {
  const columns: CsvColumns = {
    ...{ delimiter: ';', skipLines: 0, encoding: 'utf-8', decimal: ',', dateFormat: 'year-month-day' },
    ...{ date: 'Date', amount: 'Amount', text: ['Text'] },
  }
  const rows = ['Date;Text;Amount', `2026-11-02;A;${amount.replace('.', ',')}`]
  return faultOf(readCsv([Buffer.from(rows.join('\n'))], columns, currency))
}

const currencies = ['EUR', 'JPY', 'KWD', 'INR', 'HUF', 'COP']
const entries: [name: string, entry: Entry, currencies: string[]][] = [
  ['a webhook of a rail', webhook, ['INR']],
  ['what a quote sells', quoted('sell'), ['INR']],
  ['what a quote buys', quoted('buy'), ['INR']],
  ['a camt.053', camt, currencies],
  ['an MT940', mt940, currencies],
  ['a CSV', csv, currencies],
]

it.each(entries)(
  '%s takes an amount with the decimals of its currency, and names them where it has more',
  async (_, entry, all) => {
    const stroops = fc.integer({ min: 1_000_000_000, max: 2_000_000_000 })
    const rounded = fc
      .tuple(stroops, fc.integer({ min: 2, max: 7 }))
      .map(([n, zeros]) => n - (n % 10 ** zeros))
    await fc.assert(
      fc.asyncProperty(rounded, fc.constantFrom(...all), async (n, currency) => {
        const decimals = decimalsOf(currency)
        const fault = await entry(formatAmount(amountOf(BigInt(n))), currency)
        if (n % 10 ** (7 - decimals) === 0) expect(fault).toBeNull()
        else
          expect(fault).toMatch(
            new RegExp(`must have at most ${decimals} decimals|may be thousands or decimals`),
          )
      }),
      { numRuns: 40 },
    )
  },
)

it('a currency has the decimals that banks book, not those that prices are written with', () => {
  const decimals = {
    EUR: 2,
    HUF: 2,
    COP: 2,
    IDR: 2,
    PKR: 2,
    RSD: 2,
    JPY: 0,
    CLP: 0,
    KWD: 3,
    IQD: 3,
    CLF: 4,
    MUMBAI: 7,
  }
  for (const [currency, wanted] of Object.entries(decimals)) expect(decimalsOf(currency)).toBe(wanted)
})
