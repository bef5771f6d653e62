import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { recordStatements, rowsRead, tablesScanned, type Statement } from '@windlass/testing/statements.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pruneReservations } from '../../money/treasury/treasury.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

let app: BusinessApp
let client: pg.Client
const verified = new Set<string>()
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({ asset: ours })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async account =>
    verified.has(account) ? { customerId: account, status: 'ACCEPTED', walletVerified: true } : null
  client = new pg.Client({ connectionString: app.deps.database.url })
  await client.connect()
  await client.query('set random_page_cost = 1')
})
afterAll(async () => {
  await client.end()
  await app.close()
})

const ours = () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`
const [units, money] = [() => `stellar:${ours()}`, 'iso4217:INR']
const CLIENT = 'wallet.example'

/** What a firm quote asks of the database, which are all its statements but those that add it. */
async function statementsOf(account: string, direction: 'deposit' | 'withdrawal'): Promise<Statement[]> {
  const [sell_asset, buy_asset] = direction === 'deposit' ? [money, units()] : [units(), money]
  const query = new URLSearchParams({
    ...{ type: 'firm', sell_asset, buy_asset, sell_amount: '1000' },
    ...{ client_id: account, client_domain: CLIENT },
  })
  const headers = { 'x-api-key': app.deps.config.secrets.link }
  const recorded = recordStatements()
  const answer = await app.server.app.inject({ url: `/rate?${query}`, headers })
  recorded.stop()
  expect(answer.statusCode, answer.body).toBe(200)
  const asked = recorded.statements.filter(({ text }) => /^\s*(select|with)/i.test(text))
  expect(asked.filter(({ text }) => text.includes('firm_rate_totals')).length).toBeGreaterThan(0)
  return asked
}

/** Quotes that hold next to nothing, of as many people as quotes or of one; `reserved`: of deposits. */
async function open(count: number, account: string, reserved: boolean): Promise<void> {
  for (let left = count; left > 0; left -= 500)
    await client.query(
      `insert into firm_rates (sell_asset, buy_asset, amount, fee, fiat_amount, currency, client_id, client_domain, person,
         is_verified, reserved, expires_at)
       select 'a', 'b', 0.0000001, 0, 1, 'INR', $1, $2, $1, $3, $3,
         to_timestamp(5 * ceil(extract(epoch from now()) / 5) + 60 + 5 * (n % 60))
       from generate_series(1, $4::int) n`,
      [account, CLIENT, reserved, Math.min(left, 500)],
    )
  // Reservations of quotes that nobody used.
  await client.query(
    `insert into reservations (id, amount, expires_at)
     select gen_random_uuid()::text, 1, now() - interval '2 hours' from generate_series(1, $1::int)`,
    [count],
  )
  await client.query('analyze')
}

describe('a firm quote reads as many rows, whether 1,000 others are open or 30,000, and as many ended', () => {
  it.each(['deposit', 'withdrawal'] as const)(
    'of a %s',
    async direction => {
      const reserved = direction === 'deposit'
      const [one, other] = [generateKey().publicKey, generateKey().publicKey]
      if (reserved) verified.add(one)
      const count = async () => rowsRead(client, await statementsOf(one, direction))
      await open(1_000, reserved ? other : one, reserved)
      const few = await count()
      await open(30_000, reserved ? other : one, reserved)
      expect(await count()).toBeLessThan(few + 30)
      expect(few).toBeLessThan(400)
      for (const statement of await statementsOf(one, direction))
        expect(await tablesScanned(client, statement), statement.text).not.toContain('firm_rates')
      await pruneReservations(app.deps.database.db)
      const { rows } = await client.query('select count(*)::int as held from reservations')
      expect(rows).toEqual([{ held: reserved ? 3 : expect.any(Number) }])
    },
    120_000,
  )
})
