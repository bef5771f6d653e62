import type { Types } from '@stellar/typescript-wallet-sdk'
import type { Keypair } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTexts, textsIn } from '@windlass/testing/find-texts.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import {
  balanceOf,
  Browser,
  fundedWallet,
  give,
  openTrustline,
  registerWallet,
  until,
} from './testing/wallet.ts'

/** Another release of the SDK, built elsewhere: docs/guides/tested-with.md says how to get one that npm does not have. */
const BUILT = process.env.WALLET_SDK
const { ApplicationConfiguration, FiatAssetId, IssuedAssetId, SigningKeypair, StellarConfiguration, ...kit } =
  await loadSdk()

async function loadSdk(): Promise<typeof import('@stellar/typescript-wallet-sdk')> {
  if (!BUILT) return import('@stellar/typescript-wallet-sdk')
  const built = await import(/* @vite-ignore */ join(BUILT, 'lib/bundle.js'))
  return built.default ?? built
}

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor()
})
afterAll(() => running.stop())

function sdk() {
  const stellarConfiguration = new StellarConfiguration({
    network: StellarConfiguration.TestNet().network,
    horizonUrl: 'https://horizon.example',
    defaultTimeout: 180,
    baseFee: 100,
  })
  // The SDK has no setting for a ledger without TLS.
  const Horizon = stellarConfiguration.server.constructor as new (
    url: string,
    options: { allowHttp: boolean },
  ) => typeof stellarConfiguration.server
  Object.assign(stellarConfiguration, {
    horizonUrl: running.network.url,
    server: new Horizon(running.network.url, { allowHttp: true }),
  })
  const applicationConfiguration = new ApplicationConfiguration()
  const wallet = new kit.Wallet({ stellarConfiguration, applicationConfiguration })
  return { wallet, anchor: wallet.anchor({ homeDomain: running.anchor.plan.homeDomain, allowHttp: true }) }
}

async function session(key: Keypair) {
  const { wallet, anchor } = sdk()
  const signer = SigningKeypair.fromSecret(key.secret())
  const authToken = await (await anchor.sep10()).authenticate({ accountKp: signer })
  return { wallet, anchor, signer, authToken }
}

const assetCode = 'MUMBAI'

describe('the Stellar wallet SDK', () => {
  it('reads the discovery file', async () => {
    const info = await sdk().anchor.sep1()
    expect(info).toMatchObject({
      networkPassphrase: running.network.passphrase,
      signingKey: running.anchor.accounts.signing,
      webAuthEndpoint: `${running.anchor.publicUrl}/auth`,
      transferServerSep24: `${running.anchor.publicUrl}/sep24`,
    })
  })

  it('deposits by SEP-24: its watcher sees every state, and the asset arrives', async () => {
    const key = await fundedWallet(running)
    registerWallet(running, key)
    await openTrustline(running, key)
    const { anchor, authToken } = await session(key)
    const sep24 = anchor.sep24()
    expect((await sep24.info()).deposit[assetCode]).toMatchObject({
      enabled: true,
      fee_fixed: 0.5,
      fee_percent: 0.5,
    })
    const { url = '', id = '' } = await sep24.deposit({
      assetCode,
      authToken,
      extraFields: { amount: '100' },
    })
    const seen: string[] = []
    const success = new Promise<Types.AnchorTransaction>((resolve, reject) => {
      sep24.watcher().watchOneTransaction({
        authToken,
        assetCode,
        id,
        timeout: 100,
        onMessage: ({ status }) => void seen.push(String(status)),
        onSuccess: resolve,
        onError: reject,
      })
    })

    const browser = new Browser(running)
    const review = await browser.open(url)
    expect(review.html).toContain('8,938.50 INR')
    expect(review.html).toContain('100 MUMBAI')
    const pay = await browser.submit(`/interactive/t/${id}/confirm`)
    expect(pay.html).toContain('data:image/png;base64')
    await until('the SDK sees the request', async () => seen.includes('pending_user_transfer_start'))
    await browser.submit(`/interactive/t/${id}/paid`)

    const done = await success
    expect(done).toMatchObject({
      status: 'completed',
      amount_in: '8938.5',
      amount_in_asset: 'iso4217:INR',
      amount_out: '100',
      amount_fee: '1',
      to: key.publicKey(),
      kyc_verified: true,
    })
    expect(await balanceOf(running, key.publicKey())).toBe('100.0000000')
    const receipt = await browser.open(`/interactive/t/${id}`)
    expect(receipt.html).toContain(
      'stellar_transaction_id' in done ? String(done.stellar_transaction_id) : '-',
    )
    const more = await fetch(String('more_info_url' in done ? done.more_info_url : ''))
    expect(more.status).toBe(200)
    expect(more.headers.get('content-type')).toContain('text/html')
  })

  it('withdraws by SEP-24: it pays what the transaction names, and the rail pays the customer', async () => {
    const key = await fundedWallet(running)
    registerWallet(running, key)
    await openTrustline(running, key)
    await give(running, key, '250')
    const { wallet, anchor, authToken, signer } = await session(key)
    const sep24 = anchor.sep24()
    const { url = '', id = '' } = await sep24.withdraw({
      assetCode,
      authToken,
      extraFields: { amount: '200' },
    })
    const browser = new Browser(running)
    const details = await browser.open(url)
    expect(details.html).toContain('UPI ID')
    const review = await browser.submit(`/interactive/t/${id}/details`, {
      amount: '200',
      dest: 'asha@okbank',
    })
    // fee 0.5 + 200 × 0.005 = 1.5; (200 - 1.5) × 88.50 = 17567.25
    expect(review.html).toContain('17,567.25 INR')
    await browser.submit(`/interactive/t/${id}/confirm`)
    const waiting = await until('the withdrawal waits for its payment', async () => {
      const found = await sep24.getTransactionBy({ authToken, id })
      return found.status === 'pending_user_transfer_start' && found
    })

    const stellar = wallet.stellar()
    const builder = await stellar.transaction({ sourceAddress: signer, baseFee: 100 })
    const transaction = builder
      .transferWithdrawalTransaction(
        waiting as Types.WithdrawTransaction,
        new IssuedAssetId(assetCode, running.anchor.accounts.issuer),
      )
      .build()
    signer.sign(transaction)
    expect(await stellar.submitTransaction(transaction)).toBe(true)

    const done = await until('the withdrawal completes', async () => {
      const found = await sep24.getTransactionBy({ authToken, id })
      return found.status === 'completed' && found
    })
    expect(done).toMatchObject({
      kind: 'withdrawal',
      amount_in: '200',
      amount_out: '17567.25',
      amount_fee: '1.5',
    })
    expect(await balanceOf(running, key.publicKey())).toBe('50.0000000')
    const paid = await running.query<{ amount: string; destination: { account?: string } }>(
      "select amount, destination from business.rail_orders where kind = 'payout'",
    )
    expect(paid).toEqual([{ amount: '17567.2500000', destination: expect.anything() }])
    expect(JSON.stringify(paid)).toContain('bank')
    expect(JSON.stringify(paid)).not.toContain('asha@okbank')
  })

  it('identifies a customer by SEP-12 and deposits by SEP-6', async () => {
    const key = await fundedWallet(running)
    await openTrustline(running, key)
    registerWallet(running, key, 'NEEDS_INFO')
    const { anchor, authToken } = await session(key)
    const sep6 = anchor.sep6()
    expect((await sep6.info()).deposit[assetCode]?.enabled).toBe(true)
    const params = { asset_code: assetCode, account: key.publicKey(), amount: '50', type: 'upi' }
    const begun = await sep6.deposit({ authToken, params })
    const id = 'id' in begun ? String(begun.id) : ''
    await until('the deposit asks for the customer', async () => {
      const { status } = await sep6.getTransactionBy({ authToken, id })
      return String(status) === 'pending_customer_info_update'
    })

    const sep12 = await anchor.sep12(authToken)
    expect((await sep12.getCustomer({})).status).toBe('NEEDS_INFO')
    const { id: customerId } = await sep12.add({
      sep9Info: { first_name: 'Asha', last_name: 'Rao', email_address: 'asha@example.com' },
    })
    expect((await sep12.getCustomer({ id: customerId })).status).toBe('PROCESSING')
    await until('the mock provider approves', async () => {
      const { status } = await sep12.getCustomer({ id: customerId })
      return status === 'ACCEPTED'
    })
    // The platform is notified after the wallet may see it.
    await expect
      .poll(() => running.platform.reports)
      .toContainEqual(
        expect.objectContaining({ status: 'ACCEPTED', provider: 'mock', evidence: expect.any(Object) }),
      )

    const asked = await until('the instructions are there', async () => {
      const found = await sep6.getTransactionBy({ authToken, id })
      return found.status === 'pending_user_transfer_start' && found
    })
    expect(asked).toMatchObject({
      amount_out: '50',
      instructions: { reference: { value: expect.any(String) } },
    })
    await running.query(
      `insert into business.simulated_rail_payments (id, rail, direction, reference, amount, currency, outcome, due_at)
       select 'bank-1', rail, 'in', reference, fiat_amount, currency, 'paid', now() from business.transfers where id = $1`,
      [id],
    )
    await until('the deposit completes', async () => {
      const { status } = await sep6.getTransactionBy({ authToken, id })
      return status === 'completed'
    })
    expect(await balanceOf(running, key.publicKey())).toBe('50.0000000')
    expect(await sep6.getTransactionsForAsset({ authToken, assetCode })).toHaveLength(1)
    await sep12.delete(key.publicKey())
    // The details are gone; the platform still knows the wallet's owner as accepted.
    const after = await sep12.getCustomer({})
    expect(after).toMatchObject({ status: 'ACCEPTED', id: expect.not.stringMatching(customerId) })
    expect(after.provided_fields).toBeUndefined()
  })

  it('sends files by SEP-12', async () => {
    const key = await fundedWallet(running)
    const { anchor, authToken } = await session(key)
    const sep12 = await anchor.sep12(authToken)
    const photo = Buffer.from('89504e470d0a1a0a00ff00fe', 'hex')
    const { id } = await sep12.add({
      sep9Info: { first_name: 'Asha' },
      sep9BinaryInfo: { photo_id_front: photo },
    })
    expect((await sep12.getCustomer({ id })).provided_fields).toMatchObject({
      first_name: { type: 'string' },
      photo_id_front: { type: 'binary' },
    })
    expect(
      await running.query('select size from business.customer_files where customer_id = $1', [id]),
    ).toEqual([{ size: photo.length }])
  })

  it('gets prices and a firm quote by SEP-38, and deposits at it', async () => {
    const key = await fundedWallet(running)
    registerWallet(running, key)
    await openTrustline(running, key)
    const { anchor, authToken } = await session(key)
    const sep38 = anchor.sep38(authToken)
    const ours = new IssuedAssetId(assetCode, running.anchor.accounts.issuer).sep38
    const rupees = new FiatAssetId('INR').sep38
    expect((await sep38.info()).assets.map(({ asset }) => asset)).toEqual([ours, rupees])
    const context = kit.Types.Sep38PriceContext.SEP24
    const price = await sep38.price({ sellAsset: rupees, buyAsset: ours, buyAmount: '100', context })
    expect(price).toMatchObject({
      price: '88.5',
      sell_amount: '8938.5',
      buy_amount: '100',
      fee: { total: '88.5', asset: rupees },
    })
    const wanted = { sell_asset: rupees, buy_asset: ours, buy_amount: '100', context }
    const quote = await sep38.requestQuote(wanted as Types.Sep38PostQuoteParams)
    expect(quote).toMatchObject({ sell_amount: '8938.5', total_price: '89.385' })
    expect(await sep38.getQuote(quote.id)).toEqual(quote)

    const extraFields = { quote_id: quote.id, amount: '100', source_asset: rupees }
    const { url = '', id = '' } = await anchor.sep24().deposit({ assetCode, authToken, extraFields })
    const browser = new Browser(running)
    await browser.open(url)
    await browser.submit(`/interactive/t/${id}/confirm`)
    await browser.submit(`/interactive/t/${id}/paid`)
    await until('the deposit completes', async () => {
      const { status } = await anchor.sep24().getTransactionBy({ authToken, id })
      return status === 'completed'
    })
    expect(await balanceOf(running, key.publicKey())).toBe('100.0000000')
  })
})

describe('what a wallet sends of its customer', () => {
  const planted = {
    first_name: 'Plantedfirstname',
    last_name: 'Plantedlastname',
    email_address: 'plantedaddress@people.example',
    birth_date: '1903-07-19',
    id_number: 'PLANTEDPASSPORT77',
    mobile_number: '+919876501234',
    address: '77 Planted Street',
  }
  const account = 'plantedaccount@okbank'

  it('is readable in no table, log or file, before and after the business server has it', async () => {
    const { publicUrl } = running.anchor
    const key = await fundedWallet(running)
    registerWallet(running, key)
    const verifiedName = 'Planteddocumentname'
    for (const customer of running.platform.customers.values())
      if (customer.wallets.has(key.publicKey())) customer.verifiedName = verifiedName
    const { authToken } = await session(key)
    const headers = { authorization: `Bearer ${authToken.token}` }
    const send = async (method: string, path: string, body?: BodyInit) => {
      const answer = await fetch(publicUrl + path, { method, headers, ...(body ? { body } : {}) })
      expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)])
      return (await answer.json()) as {
        id: string
        file_id: string
        url: string
        transaction: { to: string }
      }
    }
    const pdf = new FormData()
    pdf.set('file', new Blob([`%PDF-1.4 ${planted.first_name} ${planted.id_number}`]), 'passport.pdf')
    const { file_id } = await send('POST', '/sep12/customer/files', pdf)

    // While the business server is down, everything waits at the SEP server.
    await running.kill('business')
    const sep24 = new URLSearchParams({ asset_code: assetCode, amount: '20', ...planted, dest: account })
    const { id } = await send('POST', '/sep24/transactions/deposit/interactive', sep24)
    const sep6 = new URLSearchParams({ asset_code: assetCode, type: 'upi', amount: '20', dest: account })
    const withdrawal = await send('GET', `/sep6/withdraw?${sep6}`)
    const texts = [...Object.values(planted), verifiedName, account]
    expect(await findTexts(running.database.url, texts)).toEqual([])
    expect((await send('GET', `/sep6/transaction?id=${withdrawal.id}`)).transaction.to).toBe(account)

    await running.start('business')
    await send('PUT', '/sep12/customer', new URLSearchParams({ ...planted, photo_id_front_file_id: file_id }))
    await until('the business server has both transactions', async () => {
      const [{ count } = { count: '' }] = await running.query<{ count: string }>(
        'select count(*) from business.transfers where id = any($1)',
        [[id, withdrawal.id]],
      )
      const [waiting] = await running.query('select 1 from sep.outbox where delivered_at is null')
      return count === '2' && !waiting
    })
    expect(await findTexts(running.database.url, texts)).toEqual([])
    const named = "select from business.screened_names where role = 'verified'"
    expect(await running.query(named)).toHaveLength(1)
    // Only where the money goes is kept for the wallet to see.
    expect(await running.query('select fields, details from sep.transactions where id = $1', [id])).toEqual([
      { fields: {}, details: expect.any(Buffer) },
    ])
    expect((await send('GET', `/sep6/transaction?id=${withdrawal.id}`)).transaction.to).toBe(account)
    expect(running.logs()).toContain('answered')
    expect(textsIn(running.logs(), texts)).toEqual([])
    for (const file of readdirSync(running.folder)) {
      expect(textsIn(readFileSync(join(running.folder, file), 'utf8'), texts)).toEqual([])
    }
  })
})
