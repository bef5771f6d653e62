import { type Keypair, Memo } from '@stellar/stellar-sdk/base'
import { add, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import { systemClock } from '@windlass/service/work/clock.ts'
import { platformKey, provingFetch } from '@windlass/service/http/platform-proof.ts'
import type { RazorpayStandIn } from '@windlass/testing/razorpay-stand-in.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRazorpayAnchor, type RazorpayAnchor } from './testing/razorpay-anchor.ts'
import type { RunningAnchor } from './testing/running-anchor.ts'
import { begin, type Begun } from './testing/transfers.ts'
import { acceptedWallet, balanceOf, give, payAnchor, until } from './testing/wallet.ts'

/*
 * A day of an anchor with two rails: SEPA by bank files, UPI by Razorpay's API. Its business server is killed again and
 * again. `npm run test:faults` has it: it takes minutes.
 */

const [WALLETS, ROUNDS] = [10, 5]
const HOLDING = '500'
const BANK = 'DE89370400440532013000'
const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }

interface Payout {
  code: string
  amount: string
  file_id: string | null
}

interface Customer {
  key: Keypair
  /** What its wallet holds when the day has ended. */
  units: Amount
}

let anchor: RazorpayAnchor
let running: RunningAnchor
let razorpay: RazorpayStandIn
let isDay = true

describe.runIf(process.env.MODE === 'faults')(
  'a day of deposits and withdrawals',
  { timeout: 900_000 },
  () => {
    beforeAll(async () => {
      const bank = { provider: 'bank-file', iban: BANK, bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay GmbH' }
      anchor = await startRazorpayAnchor({ SEPA: bank }, { FX_RATE_EUR_USDC: '0.92' })
      ;({ running, razorpay } = anchor)
    })
    afterAll(() => anchor?.stop())

    it('over bank files and an API, with kills, ends with journal, ledger and statements equal', async () => {
      await asOperator('PUT', '/rails/SEPA/csv-columns', { columns: COLUMNS, by: 'operator:one' })
      const customers: Customer[] = []
      for (let n = 0; n < WALLETS; n += 1) {
        const key = await acceptedWallet(running)
        await give(running, key, HOLDING)
        customers.push({ key, units: parseAmount(HOLDING) })
      }
      const bank = new Bank(systemClock.now())
      const kills = killAgainAndAgain()
      const transfers = (await Promise.all(customers.map(customer => dayOf(customer, bank)))).flat()
      await bank.payOut()
      isDay = false
      const killed = await kills

      expect(transfers).toHaveLength(WALLETS * ROUNDS * 4)
      expect(killed).toBeGreaterThan(5)
      for (const transfer of transfers) await transfer.becomes('completed', 120)
      for (const { key, units } of customers)
        expect(parseAmount((await balanceOf(running, key.publicKey())) ?? '')).toBe(units)
      expect(razorpay.payouts.size).toBe(WALLETS * ROUNDS)
      const { open, last } = await asOperator('POST', '/reconciliation', { by: 'operator:one' })
      expect(last.checks.filter((check: { result: string }) => check.result !== 'equal')).toEqual([])
      expect(open).toBe(0)
      const sums = await running.query<{ unit: string; sum: string }>(
        'select unit, sum(amount) from business.journal_lines group by unit',
      )
      expect(sums.length).toBeGreaterThan(1)
      expect(sums.map(({ sum }) => parseAmount(sum))).toEqual(sums.map(() => 0n))
      const [atBank] = await running.query<{ sum: string }>(
        "select sum(amount) from business.journal_lines where account = 'rail:SEPA'",
      )
      expect(parseAmount(atBank?.sum ?? '')).toBe(bank.balance)
    })
  },
)

/** Until the server answers again. */
async function persist<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (tries === 30) throw error
      await sleep(500)
    }
  }
}

async function dayOf(customer: Customer, bank: Bank): Promise<Begun[]> {
  const transfers: Begun[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const whole = 11 + round
    transfers.push(await payByLink(await deposit(customer, 'UPI', `${whole}`)))
    transfers.push(await withdraw(customer, 'UPI', `${whole}.25`, { dest: 'asha@okbank' }))
    transfers.push(await bank.payIn(await deposit(customer, 'SEPA', `${whole}.5`)))
    transfers.push(await withdraw(customer, 'SEPA', `${whole}.75`, ASHA))
  }
  return transfers
}

const begun = (
  customer: Customer,
  side: 'deposit' | 'withdraw',
  rail: string,
  form: Record<string, string>,
) =>
  persist(async () => {
    const transfer = await begin(running, customer.key, side, {})
    const path = `/interactive/t/${transfer.id}`
    await transfer.browser.submit(`${path}/details`, { rail, amount: '' })
    await transfer.browser.submit(`${path}/details`, { rail, ...form })
    await transfer.browser.submit(`${path}/confirm`)
    return { transfer, shown: await transfer.becomes('pending_user_transfer_start') }
  })

async function deposit(customer: Customer, rail: string, amount: string): Promise<Begun> {
  const { transfer } = await begun(customer, 'deposit', rail, { amount })
  customer.units = add(customer.units, parseAmount(amount))
  return transfer
}

async function withdraw(
  customer: Customer,
  rail: string,
  amount: string,
  destination: Record<string, string>,
): Promise<Begun> {
  const form = { amount, ...destination }
  const { transfer, shown } = await begun(customer, 'withdraw', rail, form)
  await payAnchor(running, customer.key, amount, Memo.id(shown.withdraw_memo ?? ''))
  customer.units = subtract(customer.units, parseAmount(amount))
  return transfer
}

async function payByLink(transfer: Begun): Promise<Begun> {
  const [row] = await running.query<{ reference: string }>(
    'select reference from business.transfers where id = $1',
    [transfer.id],
  )
  const page = `${running.businessUrl}/interactive/pay/${row?.reference}`
  await until('the page is there', async () => (await fetch(page, { redirect: 'manual' })).status === 303, 60)
  const link = [...razorpay.links.values()].find(each => each.reference_id === row?.reference)
  razorpay.payLink(String(link?.id))
  return transfer
}

const COLUMNS = {
  ...{ delimiter: ',', skipLines: 0, encoding: 'utf-8', decimal: '.', date: 'day' },
  ...{
    dateFormat: 'year-month-day',
    amount: 'amount',
    text: ['text'],
    bankReference: 'id',
    balance: 'balance',
  },
}

/** The anchor's account at a bank, which books what is paid and gives statements of the whole day. */
class Bank {
  balance = parseAmount('0')
  readonly #rows: string[] = []
  readonly #day: string

  constructor(now: Date) {
    this.#day = now.toISOString().slice(0, 10)
  }

  /** The customer of a deposit pays; every tenth payment comes with a statement, and with the former ones again. */
  async payIn(transfer: Begun): Promise<Begun> {
    const [row] = await running.query<{ reference: string; fiat_amount: string }>(
      'select reference, fiat_amount from business.transfers where id = $1',
      [transfer.id],
    )
    this.#book(parseAmount(row?.fiat_amount ?? ''), row?.reference ?? '')
    if (this.#rows.length % 10 === 0) await this.#giveStatement()
    return transfer
  }

  /** Two operators send all payouts in files, and the bank makes them. */
  async payOut(): Promise<void> {
    const read = () => running.query<Payout>("select * from business.bank_payouts where rail = 'SEPA'")
    await until('all that was sold has come', async () => (await read()).length === WALLETS * ROUNDS, 120)
    while ((await read()).some(({ file_id }) => file_id === null)) {
      // A server that is killed may have made the file already.
      await asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:one' }).catch(() => sleep(500))
    }
    const payouts = await read()
    for (const file of new Set(payouts.map(({ file_id }) => file_id)))
      await persist(async () => {
        const by = 'operator:other'
        const { sheet } = (await asOperator('POST', `/payout-files/${file}/sheet`, {})) as { sheet: string }
        await asOperator('POST', `/payout-files/${file}/approve`, { by, sheet }).catch((error: Error) => {
          if (!error.message.includes('payout-file-decided')) throw error
        })
      })
    for (const { code, amount } of payouts) this.#book(parseAmount(`-${amount}`), code)
    await this.#giveStatement()
  }

  #book(amount: Amount, text: string): void {
    this.balance = add(this.balance, amount)
    const balance = formatAmount(this.balance)
    this.#rows.push(`${this.#day},${formatAmount(amount)},${text},B${this.#rows.length},${balance}`)
  }

  async #giveStatement(): Promise<void> {
    const body = ['day,amount,text,id,balance', ...this.#rows, ''].join('\n')
    const query = new URLSearchParams({ fileName: `${this.#rows.length}.csv`, by: 'operator:one' })
    await persist(async () => {
      const url = `${running.businessUrl}/admin/rails/SEPA/statements?${query}`
      const answer = await asPlatform(url, 'POST', 'application/octet-stream', body)
      // 409: the server that was killed had it already.
      if (!answer.ok && answer.status !== 409) throw new Error(await answer.text())
    })
  }
}

const asPlatform = (url: string, method: string, type: string, body: string) =>
  provingFetch(platformKey(running.secrets.service), systemClock)(url, {
    ...{ method, body, headers: { 'x-service-secret': running.secrets.summary, 'content-type': type } },
  })

async function asOperator(method: string, path: string, body: object) {
  const url = `${running.businessUrl}/admin${path}`
  const answer = await asPlatform(url, method, 'application/json', JSON.stringify(body))
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

/** Resolves to how often. */
async function killAgainAndAgain(): Promise<number> {
  let kills = 0
  while (isDay) {
    await sleep(4_000 + 4_000 * Math.random())
    await running.kill('business')
    await running.start('business', anchor.settings)
    await running.query(
      "update business.rail_orders set next_try_at = now() where state in ('queued', 'sent')",
    )
    kills += 1
  }
  return kills
}
