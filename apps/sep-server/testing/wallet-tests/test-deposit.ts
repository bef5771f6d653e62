import type { TestRequest } from '@windlass/contracts/platform/test-deposits.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { Keypair } from '@stellar/stellar-sdk/base'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { openTrustline } from '@windlass/stellar/trustline.ts'
import { runTestDeposit } from '@windlass/wallet-checks/test-deposit.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { balanceOf, registerWallet } from '../wallet.ts'
import { running } from './anchor-under-test.ts'

describe('a test deposit', () => {
  let outbound: Outbound
  const wallet = generateKey()
  beforeAll(() => {
    const ingress = { suffix: 'anchors.localhost', url: `http://127.0.0.1:${running.frontPort}` }
    outbound = createOutbound({ ingress, allowPrivate: true })
    registerWallet(running, Keypair.fromSecret(wallet.secret))
  })
  afterAll(() => outbound.close())

  async function run(key: AccountKey = wallet, rail = 'UPI') {
    const { plan, publicUrl, accounts, network } = running.anchor
    const asset = { code: plan.asset.code, issuer: accounts.issuer }
    const horizon = createHorizon(running.network)
    const requests: TestRequest[] = []
    const anchor = {
      ...{ publicUrl, asset, homeDomain: plan.homeDomain, amount: plan.limits.min },
      accounts: Object.values(accounts),
      ...{ networkPassphrase: network.passphrase, signingKey: accounts.signing },
    }
    const outcome = await runTestDeposit(anchor, {
      outbound,
      now: () => new Date(),
      wallet: key,
      rail,
      ledger: {
        prepare: async () => {
          await fundFromFaucet(running.network.friendbotUrl, horizon, key.publicKey)
          return openTrustline(horizon, network.passphrase, key, asset)
        },
        balance: async () => (await balanceOf(running, key.publicKey)) ?? '0',
      },
      record: async request => void requests.push(request),
      stopping: new AbortController().signal,
      pollMs: 50,
    }).then(
      () => 'completed',
      (error: Error) => error.message,
    )
    return { outcome, requests }
  }

  it('ends with the asset in the wallet, again and again, and lists every request without its token', async () => {
    const { outcome, requests } = await run()
    expect(outcome).toBe('completed')
    expect([...new Set(requests.map(({ step }) => step))]).toEqual([
      'discovery',
      'login',
      'wallet',
      'deposit',
      'pages',
      'payment',
    ])
    expect(requests.at(-1)?.answer).toBe(await balanceOf(running, wallet.publicKey))
    expect(JSON.stringify(requests)).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(JSON.stringify(requests)).toContain('eyJ')
    expect((await run()).outcome).toBe('completed')
    expect(Number(await balanceOf(running, wallet.publicKey))).toBe(
      2 * Number(running.anchor.plan.limits.min),
    )
  })

  it('says what the anchor’s page refuses', async () => {
    const stranger = generateKey()
    registerWallet(running, Keypair.fromSecret(stranger.secret))
    expect((await run(stranger, 'no such rail')).outcome).toMatch(/^The page refused the form “details”: \w/)
  })
})
