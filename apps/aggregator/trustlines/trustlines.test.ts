import { TransactionBuilder } from '@stellar/stellar-sdk/base'
import { generateKey } from '@windlass/stellar/keys.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

let aggregator: TestAggregator
let server: AnchorServer
const issuer = generateKey().publicKey
const asset = `USDC:${issuer}`

beforeAll(async () => {
  server = await startAnchorServer()
  server.on('/', json({ network_passphrase: TEST_NETWORK }))
  aggregator = await testAggregator({ env: { HORIZON_URL: server.url } })
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})

/** An account on the ledger, with a line for the asset where one is given. */
function accountWith(line?: { limit?: string; authorized?: boolean }): string {
  const { publicKey } = generateKey()
  const balances = [
    { asset_type: 'native', balance: '10' },
    ...(line
      ? [
          {
            ...{ asset_type: 'credit_alphanum4', asset_code: 'USDC', asset_issuer: issuer, balance: '5' },
            ...{ limit: line.limit ?? '1000', is_authorized: line.authorized ?? true },
          },
        ]
      : []),
  ]
  const thresholds = { low_threshold: 0, med_threshold: 0, high_threshold: 0 }
  const signers = [{ key: publicKey, weight: 1 }]
  server.on(
    `/accounts/${publicKey}`,
    json({ id: publicKey, sequence: '7', subentry_count: 0, thresholds, signers, balances }),
  )
  return publicKey
}
const ask = async (query: Record<string, string>) =>
  aggregator.get(`/trustlines?${new URLSearchParams({ asset, ...query }).toString()}`)

it('says what keeps an account from receiving an asset, and asks a wallet to add the trustline', async () => {
  const account = accountWith()
  const { status, body } = await ask({ account })
  expect([status, body.fault]).toEqual([200, 'no-trustline'])
  const link = new URL(body.addTrustline)
  expect([link.protocol, link.pathname, link.searchParams.get('pubkey')]).toEqual([
    'web+stellar:',
    'tx',
    account,
  ])
  const transaction = TransactionBuilder.fromXdr(link.searchParams.get('xdr') ?? '', TEST_NETWORK)
  expect(transaction.operations).toMatchObject([{ type: 'changeTrust', line: { code: 'USDC', issuer } }])
  const cases: [string, object][] = [
    [accountWith({}), { fault: null, addTrustline: null }],
    [generateKey().publicKey, { fault: 'no-account', addTrustline: null }],
    [accountWith({ authorized: false }), { fault: 'not-authorized', addTrustline: null }],
    [accountWith({ limit: '14' }), { fault: 'trustline-full', addTrustline: null }],
    [issuer, { fault: null, addTrustline: null }],
  ]
  for (const [each, state] of cases) expect((await ask({ account: each, amount: '10' })).body).toEqual(state)
})

it('says nothing where the ledger does not answer, and refuses what is no account, asset or amount', async () => {
  const account = accountWith({})
  server.on(`/accounts/${account}`, json({ title: 'gone' }, 500))
  expect((await ask({ account })).body).toEqual({ fault: 'not-known', addTrustline: null })
  const alone = await testAggregator()
  const { body } = await alone.get(`/trustlines?${new URLSearchParams({ asset, account }).toString()}`)
  expect(body).toEqual({ fault: 'not-known', addTrustline: null })
  await alone.drop()
  const wrong = account.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
  const wrongs: Record<string, string>[] = [
    { account: wrong },
    { account, asset: `USDC:${wrong}` },
    { account, amount: 'much' },
  ]
  for (const query of wrongs) {
    const answer = await ask(query)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation-failed'])
  }
})
