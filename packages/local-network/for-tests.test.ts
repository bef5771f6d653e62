import { Horizon, Keypair } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useLocalNetwork } from './hooks.ts'
import { startLocalNetwork, testUsdc, type LocalNetwork, type LocalNetworkOptions } from './local-network.ts'

const started: LocalNetwork[] = []
afterEach(async () => {
  for (const network of started.splice(0)) await network.stop()
})

async function start(options: LocalNetworkOptions = {}): Promise<LocalNetwork> {
  const network = await startLocalNetwork({ closeEvery: 'at-once', ...options })
  started.push(network)
  return network
}

const horizonOf = ({ url }: LocalNetwork) => new Horizon.Server(url, { allowHttp: true })
const fund = async ({ friendbotUrl }: LocalNetwork, key: Keypair) =>
  (await fetch(`${friendbotUrl}?addr=${key.publicKey()}`)).status
const exists = async ({ url }: LocalNetwork, key: Keypair) =>
  (await fetch(`${url}/accounts/${key.publicKey()}`)).status === 200

describe('a network for tests', () => {
  it('begins with the accounts and assets it is given', async () => {
    const [rich, poor] = [Keypair.random(), Keypair.random()]
    const network = await start({
      genesis: {
        accounts: [
          { address: rich.publicKey(), holds: { [testUsdc]: '250.5' } },
          { address: poor.publicKey(), lumens: '2' },
        ],
      },
    })
    const { balances } = await horizonOf(network).loadAccount(rich.publicKey())
    expect(balances).toMatchObject([
      { asset_code: 'USDC', balance: '250.5000000' },
      { asset_type: 'native', balance: '10000.0000000' },
    ])
    const { records } = await horizonOf(network).assets().forCode('USDC').call()
    expect(records[0]).toMatchObject({ balances: { authorized: '250.5000000' } })
    expect((await horizonOf(network).loadAccount(poor.publicKey())).balances).toMatchObject([
      { balance: '2.0000000' },
    ])
    network.reset()
    expect(await exists(network, rich)).toBe(true)
  })

  it.each([
    { accounts: [{ address: 'GABC' }] },
    { assets: ['USDC'] },
    { accounts: [{ address: Keypair.random().publicKey(), lumens: 'many' }] },
  ])('refuses a beginning that is none: %j', async genesis => {
    await expect(start({ genesis })).rejects.toThrow(RangeError)
  })

  it('goes back to a snapshot, and on from there', async () => {
    const network = await start()
    const [before, after] = [Keypair.random(), Keypair.random()]
    await fund(network, before)
    const snapshot = network.snapshot()
    const { latestLedger } = network
    await fund(network, after)
    network.restore(snapshot)
    expect([await exists(network, before), await exists(network, after)]).toEqual([true, false])
    expect(network.latestLedger).toBe(latestLedger)
    expect(await fund(network, after)).toBe(200)
    expect(await exists(network, after)).toBe(true)
    snapshot.delete()
  })

  it('branches into one that goes its own way', async () => {
    const network = await start()
    const [both, here, there] = [Keypair.random(), Keypair.random(), Keypair.random()]
    await fund(network, both)
    const branch = await network.branch()
    started.push(branch)
    await fund(network, here)
    await fund(branch, there)
    expect([await exists(branch, both), await exists(branch, here)]).toEqual([true, false])
    expect([await exists(network, there), branch.url === network.url]).toEqual([false, false])
  })

  it('lets time pass when told so', async () => {
    const network = await start()
    const closed = async () => {
      network.close()
      const ledger = await horizonOf(network).ledgers().ledger(network.latestLedger).call()
      return Date.parse(String(Reflect.get(ledger, 'closed_at')))
    }
    const before = await closed()
    network.advance(86_400_000)
    expect((await closed()) - before).toBeGreaterThanOrEqual(86_400_000)
  })

  it('is the same, hash for hash, with the same seed', async () => {
    const run = async (seed: string) => {
      const network = await start({ seed })
      await fund(network, network.keypair('alice'))
      const ledger = await horizonOf(network).ledgers().ledger(network.latestLedger).call()
      return [String(Reflect.get(ledger, 'hash')), String(Reflect.get(ledger, 'closed_at'))]
    }
    expect(await run('one')).toEqual(await run('one'))
    expect((await run('one'))[1]).toBe('2026-01-01T00:00:01Z')
    expect(await run('two')).not.toEqual(await run('one'))
  })

  it('runs beside others in one process', async () => {
    const networks = await Promise.all([start(), start({ passphrase: 'Another network' }), start()])
    const key = Keypair.random()
    await Promise.all(networks.map(network => fund(network, key)))
    expect(await Promise.all(networks.map(network => exists(network, key)))).toEqual([true, true, true])
    expect(new Set(networks.map(({ url }) => url)).size).toBe(3)
  })
})

describe('hooks of a test runner', () => {
  const stellar = useLocalNetwork({ beforeAll, afterAll, beforeEach }, { seed: 'hooks' })

  it.each([1, 2])('give test %i the network as it was before the first', async () => {
    const key = stellar.network.keypair('anna')
    expect(await exists(stellar.network, key)).toBe(false)
    expect(await fund(stellar.network, key)).toBe(200)
  })
})
