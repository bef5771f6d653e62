import { Keypair } from '@stellar/stellar-sdk/base'
import { assetName, idOf, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import { journalBalances, payDirectly, readPublic, topUp, walletThroughKill } from './testing/transfers.ts'
import { acceptedWallet, balanceOf, logIn } from './testing/wallet.ts'

let running: RunningAnchor
/** The same anchor, as a wallet sees it that uses USDC. */
let usdc: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor({ further: ['USDC', 'MUMBAI'] })
  const { anchor, furtherIssuer: issuer } = running
  const [further] = anchor.plan.furtherAssets ?? []
  const plan = { ...anchor.plan, asset: { ...anchor.plan.asset, ...further } }
  const accounts = { ...anchor.accounts, issuer: issuer.publicKey }
  usdc = { ...running, issuer, anchor: { ...anchor, plan, accounts } }
})
afterAll(() => running.stop())

const names = () => servedAssets(running.anchor).map(assetName)
describe('an anchor of several assets', () => {
  it('lists each for wallets; of two with one code the second has its issuer', async () => {
    const issuer = running.furtherIssuer.publicKey
    const file = parse(await (await fetch(`${running.anchor.publicUrl}/.well-known/stellar.toml`)).text())
    expect(file.CURRENCIES).toMatchObject([
      { code: 'MUMBAI', issuer: running.anchor.accounts.issuer },
      { code: 'USDC', issuer },
      { code: 'MUMBAI', issuer },
    ])
    const codes = ['MUMBAI', 'USDC', `MUMBAI:${issuer}`]
    for (const sep of ['sep6', 'sep24']) {
      const { deposit, withdraw } = await readPublic(running, `/${sep}/info`)
      expect([Object.keys(deposit), Object.keys(withdraw)]).toEqual([codes, codes])
    }
    expect(Object.keys((await readPublic(running, '/sep31/info')).receive)).toEqual(codes)
    const { assets } = await readPublic(running, '/sep38/info')
    expect(assets.map(({ asset }: { asset: string }) => asset)).toEqual([...names(), 'iso4217:INR'])
    const prices = await readPublic(running, '/sep38/prices?sell_asset=iso4217:INR&sell_amount=1000')
    expect(prices.buy_assets.map(({ asset }: { asset: string }) => asset)).toEqual(names())
    for (const name of names())
      expect(
        await readPublic(
          running,
          `/sep38/price?context=sep6&sell_asset=${name}&buy_asset=iso4217:INR&sell_amount=10`,
        ),
      ).toMatchObject({ sell_amount: '10', fee: { asset: name } })
  })

  it('asks for the issuer where a code is ambiguous, and refuses another issuer', async () => {
    const token = await logIn(running, await acceptedWallet(usdc))
    const ids = servedAssets(running.anchor)
      .filter(({ code }) => code === 'MUMBAI')
      .map(idOf)
    const ask = async (path: string, json?: object) => {
      const answer = await fetch(running.anchor.publicUrl + path, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(json ? { method: 'POST', body: JSON.stringify(json) } : {}),
      })
      return [answer.status, (await answer.json()).error]
    }
    const ambiguous = [
      400,
      `several assets have the code MUMBAI; name one with its issuer: ${ids.join(' or ')}`,
    ]
    const interactive = '/sep24/transactions/deposit/interactive'
    expect(await ask(interactive, { asset_code: 'MUMBAI' })).toEqual(ambiguous)
    expect(await ask('/sep6/deposit?asset_code=MUMBAI&type=upi')).toEqual(ambiguous)
    for (const id of ids) {
      const [asset_code, asset_issuer] = id.split(':')
      expect((await ask(interactive, { asset_code, asset_issuer }))[0]).toBe(200)
      expect((await ask(`/sep6/deposit?asset_code=${id}&type=upi`))[0]).toBe(200)
    }
    const stranger = { asset_code: 'USDC', asset_issuer: Keypair.random().publicKey() }
    expect(await ask(interactive, stranger)).toEqual([
      400,
      'the asset is not supported; it must be MUMBAI or USDC',
    ])
    const listed = async (code: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const url = `${running.anchor.publicUrl}/sep24/transactions?asset_code=${code}`
      return ((await (await fetch(url, { headers })).json()) as { transactions: unknown[] }).transactions
        .length
    }
    expect([await listed('USDC'), await listed(ids[1] ?? ''), await listed('MUMBAI')]).toEqual([0, 1, 2])
  })

  it('pays deposits, withdrawals and direct payments of a further asset with real money, also through kill -9', async () => {
    const unit = `USDC:${running.furtherIssuer.publicKey}`
    await topUp(usdc, '500', unit)
    const first = await journalBalances(running)
    const key = await walletThroughKill(usdc)
    await payDirectly(usdc, '30')
    const held = await balanceOf(usdc, running.anchor.accounts.distribution)
    expect([await balanceOf(usdc, key.publicKey()), held]).toEqual(['40.0000000', '490.0000000'])
    const journal = await journalBalances(running, unit)
    expect(journal).toEqual(
      expect.arrayContaining([
        { account: 'capital', amount: -500 },
        { account: 'treasury', amount: 490 },
      ]),
    )
    expect(journal.map(({ account }) => account)).not.toContain('customers')
    expect(await journalBalances(running)).toEqual(first)
  })
})
