import { Keypair, Memo, Operation } from '@stellar/stellar-sdk/base'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import {
  agreedWithdrawal,
  begin,
  journalBalances,
  payDirectly,
  readPublic,
  topUp,
  walletThroughKill,
} from './testing/transfers.ts'
import { acceptedWallet, assetOf, balanceOf, logIn, registerWallet, submit } from './testing/wallet.ts'

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor({ existing: true, assetCode: 'USDC' })
})
afterAll(() => running.stop())

const held = async () => Number(await balanceOf(running, running.anchor.accounts.distribution))

describe('an anchor of an asset that someone else issues', () => {
  it('names its issuer to wallets, and does not claim to issue it', async () => {
    const { issuer } = running.anchor.accounts
    const file = parse(await (await fetch(`${running.anchor.publicUrl}/.well-known/stellar.toml`)).text())
    const [currency] = file.CURRENCIES as Record<string, unknown>[]
    expect(currency).toMatchObject({ code: 'USDC', issuer, is_asset_anchored: true })
    expect(currency).not.toHaveProperty('is_unlimited')
    expect((await readPublic(running, '/sep38/info')).assets).toContainEqual(
      expect.objectContaining({ asset: `stellar:USDC:${issuer}` }),
    )
    for (const sep of ['sep6', 'sep24'])
      expect((await readPublic(running, `/${sep}/info`)).deposit.USDC).toMatchObject({ enabled: true })
  })

  it('refuses an asset of the same code by another issuer', async () => {
    const key = await acceptedWallet(running)
    const answer = await fetch(`${running.anchor.publicUrl}/sep24/transactions/deposit/interactive`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await logIn(running, key)}` },
      body: JSON.stringify({ asset_code: 'USDC', asset_issuer: Keypair.random().publicKey() }),
    })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'the asset is not supported; it must be USDC' },
    ])
  })

  it('agrees to no deposit while its treasury is empty, and says so', async () => {
    const { id, browser } = await begin(running, await acceptedWallet(running), 'deposit', { amount: '10' })
    const { html } = await browser.submit(`/interactive/t/${id}/confirm`)
    expect(html).toContain('No USDC is available right now.')
  })

  it('pays deposits out of what its operator brought, and withdrawals bring it back, also through kill -9', async () => {
    await topUp(running, '500')
    const key = await walletThroughKill(running)
    expect([await balanceOf(running, key.publicKey()), await held()]).toEqual(['40.0000000', 460])
    const journal = await journalBalances(running)
    expect(journal).toEqual(
      expect.arrayContaining([
        { account: 'capital', amount: -500 },
        { account: 'treasury', amount: 460 },
      ]),
    )
    expect(journal.map(({ account }) => account)).not.toContain('customers')
  })

  it('pays out what another anchor sends of it (SEP-31)', async () => {
    const before = await held()
    await payDirectly(running, '20')
    expect(await held()).toBe(before + 20)
  })

  it('takes a withdrawal from the issuer too, who is a customer like others', async () => {
    const issuer = Keypair.fromSecret(running.issuer.secret)
    registerWallet(running, issuer)
    const before = await held()
    const withdrawal = await agreedWithdrawal(running, issuer, '20')
    const payment = {
      asset: assetOf(running),
      amount: '20',
      destination: running.anchor.accounts.distribution,
    }
    await submit(running, issuer, Operation.payment(payment), Memo.id(withdrawal.memo))
    await withdrawal.becomes('completed', 40)
    expect(await held()).toBe(before + 20)
  })
})
