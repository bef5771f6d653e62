import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureCustomer } from '../../people/customers/customers.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

/* The largest transaction is of 10,000 units. */
let app: BusinessApp
const verified = new Set<string>()
beforeEach(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({ asset: ours })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async account =>
    verified.has(account) ? { customerId: 'cus_1', status: 'ACCEPTED', walletVerified: true } : null
})
afterEach(() => app.close())

const ours = () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`
const INR = 'iso4217:INR'

/** Asks for a firm price of a withdrawal of units, as a wallet's SEP server does. */
async function quote(client: string, amount: string, more: Record<string, string> = {}) {
  const query = new URLSearchParams({
    ...{ type: 'firm', sell_asset: `stellar:${ours()}`, buy_asset: INR, sell_amount: amount },
    ...{ client_id: client, ...more },
  })
  const headers = { 'x-api-key': app.deps.config.secrets.link }
  const answer = await app.server.app.inject({ url: `/rate?${query}`, headers })
  const { detail, rate } = answer.json<{ detail?: string; rate?: { id: string; expires_at: string } }>()
  return { status: answer.statusCode, detail, rate }
}
const open = async () =>
  (await app.deps.database.pool.query('select person, amount::float8 from firm_rates order by created_at'))
    .rows
const someone = () => generateKey().publicKey
const person = async (account: string) => {
  verified.add(account)
  await ensureCustomer(app.deps, account, null)
  await app.deps.database.pool.query("update customers set central_id = 'cus_1' where account = $1", [
    account,
  ])
}

describe('firm quotes of withdrawals, which cost nothing and may be left to expire', () => {
  it('hold for a person as much as one transaction, whatever their accounts', async () => {
    const [one, two] = [someone(), someone()]
    await person(one)
    await person(two)
    expect((await quote(one, '6000')).status).toBe(200)
    expect((await quote(two, '4000')).status).toBe(200)
    const refused = await quote(two, '1000')
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('wait until one expires') })
    expect(await open()).toEqual([
      { person: 'cus_1', amount: 6000 },
      { person: 'cus_1', amount: 4000 },
    ])
    expect((await quote(someone(), '4000')).status).toBe(200)
    // A transfer that has one may never be paid.
    const used = 'update firm_rates set transfer_id = gen_random_uuid()'
    await app.deps.database.pool.query(used)
    expect((await quote(two, '1000')).status).toBe(400)
    await app.deps.database.pool.query("update firm_rates set expires_at = now() where person = 'cus_1'")
    expect((await quote(one, '10000')).status).toBe(200)
  })

  it('of strangers hold five times that together, and keep nobody out who is verified', async () => {
    for (let asked = 0; asked < 5; asked++) expect((await quote(someone(), '10000')).status).toBe(200)
    expect(await quote(someone(), '10000')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('verify your identity'),
    })
    const one = someone()
    await person(one)
    expect((await quote(one, '10000')).status).toBe(200)
    expect(await open()).toHaveLength(6)
  })

  it('of a sending anchor under agreement are of many customers: strangers do not keep it out', async () => {
    const sender = someone()
    await app.deps.database.pool.query(
      "insert into sending_anchors (account, name) values ($1, 'Remit Ltd')",
      [sender],
    )
    for (let asked = 0; asked < 5; asked++) expect((await quote(someone(), '10000')).status).toBe(200)
    for (let asked = 0; asked < 5; asked++) expect((await quote(sender, '10000')).status).toBe(200)
  })

  it('at once, are counted one after the other', async () => {
    const one = someone()
    const answers = await Promise.all(Array.from({ length: 8 }, () => quote(one, '4000')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await open()).toHaveLength(2)
  })

  it('hold for five minutes, and at most for fifteen', async () => {
    const minutes = ({ rate }: Awaited<ReturnType<typeof quote>>) =>
      Math.round((Date.parse(rate?.expires_at ?? '') - Date.now()) / 60_000)
    const within = (count: number) => ({ expire_after: new Date(Date.now() + count * 60_000).toISOString() })
    expect(minutes(await quote(someone(), '10'))).toBe(5)
    expect(minutes(await quote(someone(), '10', within(14)))).toBe(14)
    expect((await quote(someone(), '10', within(16))).status).toBe(400)
    expect(await open()).toHaveLength(2)
  })

  it('of a deposit have what they promise reserved until they end', async () => {
    const one = someone()
    await person(one)
    // Rounded up to five seconds, which are beyond the fifteen minutes.
    const latest = Math.floor((Date.now() + 900_000) / 5_000) * 5_000 + 1
    const deposit = { sell_asset: INR, buy_asset: `stellar:${ours()}`, sell_amount: '1000' }
    const expire_after = new Date(latest).toISOString()
    const { rate } = await quote(one, '', { ...deposit, expire_after })
    const { rows } = await app.deps.database.pool.query('select expires_at from reservations')
    expect(rows).toEqual([{ expires_at: new Date(rate?.expires_at ?? '') }])
  })
})
