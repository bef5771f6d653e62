import { Keypair, Memo } from '@stellar/stellar-sdk/base'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAnchor } from '@windlass/wallet-checks/check-anchor.ts'
import { createOutbound } from '@windlass/service/outbound/outbound.ts'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import {
  agreedDeposit,
  agreedWithdrawal,
  journalBalances,
  payOverRail,
  readPublic,
} from './testing/transfers.ts'
import { acceptedWallet, balanceOf, logIn, payAnchor, registerWallet, until } from './testing/wallet.ts'

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor({ xlm: true })
})
afterAll(() => running.stop())

const held = async () => Number(await balanceOf(running, running.anchor.accounts.distribution))
const treasury = async () =>
  (await journalBalances(running)).find(({ account }) => account === 'treasury')?.amount

/** The journal has what the account has, the network's fees included. */
const agree = () =>
  until('journal and ledger agree', async () => ((await treasury()) === (await held()) ? true : null), 20)

async function paidDeposit(key: Keypair, amount: string): Promise<void> {
  const deposit = await agreedDeposit(running, key, amount)
  await payOverRail(running, deposit.id)
  await deposit.becomes('completed', 40)
}

describe('an anchor of XLM', () => {
  it('calls it native to wallets, and says that it opens accounts', async () => {
    const file = parse(await (await fetch(`${running.anchor.publicUrl}/.well-known/stellar.toml`)).text())
    const [currency] = file.CURRENCIES as Record<string, unknown>[]
    expect(currency).toMatchObject({ code: 'native', is_asset_anchored: false })
    expect(currency).not.toHaveProperty('issuer')
    expect((await readPublic(running, '/sep38/info')).assets).toContainEqual(
      expect.objectContaining({ asset: 'stellar:native' }),
    )
    for (const sep of ['sep6', 'sep24']) {
      const { deposit, withdraw, features } = await readPublic(running, `/${sep}/info`)
      expect([Object.keys(deposit), Object.keys(withdraw)]).toEqual([['native'], ['native']])
      expect(deposit.native).toMatchObject({ enabled: true })
      expect(features).toMatchObject({ account_creation: true })
    }
    expect(Object.keys((await readPublic(running, '/sep31/info')).receive)).toEqual(['native'])
    const { price } = await readPublic(
      running,
      '/sep38/price?context=sep24&sell_asset=stellar:native&buy_asset=iso4217:INR&sell_amount=100',
    )
    // 88.50 rupees for 8 XLM, and the fee.
    expect(1 / Number(price)).toBeCloseTo(11.0625, 0)
  })

  it('names no issuer on its page', async () => {
    const page = await (await fetch(running.anchor.publicUrl)).text()
    expect(page).toContain('XLM (Lumen)')
    expect(page).not.toContain('pegged')
    expect(page).not.toContain('Issuer')
  })

  it('passes the checks of a wallet', async () => {
    const { anchor, frontPort } = running
    const ingress = { suffix: 'anchors.localhost', url: `http://127.0.0.1:${frontPort}` }
    const outbound = createOutbound({ ingress, allowPrivate: true })
    const results = await checkAnchor(
      {
        ...{ publicUrl: anchor.publicUrl, homeDomain: anchor.plan.homeDomain },
        networkPassphrase: anchor.network.passphrase,
        signingKey: anchor.accounts.signing,
        asset: { code: 'XLM', issuer: 'native' },
        accounts: [anchor.accounts.distribution, anchor.accounts.signing],
        amount: '10',
      },
      { outbound, now: () => new Date() },
    )
    await outbound.close()
    expect(results.filter(({ passed }) => !passed)).toEqual([])
  })

  it('pays deposits to an account, and opens one that does not exist yet, named native or XLM', async () => {
    const known = await acceptedWallet(running)
    const before = Number(await balanceOf(running, known.publicKey()))
    await paidDeposit(known, '60')
    expect(Number(await balanceOf(running, known.publicKey()))).toBe(before + 60)
    const fresh = Keypair.random()
    registerWallet(running, fresh)
    await paidDeposit(fresh, '20')
    expect(await balanceOf(running, fresh.publicKey())).toBe('20.0000000')
    const authorization = `Bearer ${await logIn(running, fresh)}`
    const answer = await fetch(`${running.anchor.publicUrl}/sep24/transactions/deposit/interactive`, {
      ...{ method: 'POST', headers: { authorization } },
      body: new URLSearchParams({ asset_code: 'native' }),
    })
    expect(answer.status).toBe(200)
    await agree()
  })

  it('pays a withdrawal out, sends back what nobody asked for, and keeps a top-up, also through kill -9', async () => {
    const key = await acceptedWallet(running)
    const withdrawal = await agreedWithdrawal(running, key, '30')
    await running.kill('business')
    await payAnchor(running, key, '30', Memo.id(withdrawal.memo))
    await running.start('business')
    await withdrawal.becomes('completed', 40)
    await agree()
    const before = await held()
    await payAnchor(running, key, '500', Memo.text('top-up'))
    await until('the top-up is recorded', async () => ((await treasury()) ?? 0) >= before + 500 || null)
    await payAnchor(running, key, '7', Memo.text('hello'))
    await until(
      'the payment is sent back',
      async () => {
        const [row] = await running.query<{ state: string }>(
          "select state from business.ledger_payments where purpose = 'refund'",
        )
        return row?.state === 'paid' || null
      },
      20,
    )
    await agree()
    expect((await journalBalances(running)).map(({ account }) => account)).not.toContain('suspense')
  })
})
