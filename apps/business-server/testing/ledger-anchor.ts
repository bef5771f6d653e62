import {
  Account,
  Asset,
  type AuthFlag,
  Memo,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk/base'
import { idOf, isNative, NATIVE, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import {
  startLocalNetwork,
  type CloseEvery,
  type LocalNetwork,
} from '@windlass/local-network/local-network.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { issueAsset, trustAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { simulate } from '@windlass/stellar/stellar-rpc.ts'
import { openIssuer } from '@windlass/stellar/testing/issuer.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { queuePayment } from '../payments/ledger-payments.ts'
import { observePayments } from '../payments/observe.ts'
import { payQueued } from '../payments/pay.ts'
import type { Deps } from '../deps.ts'
import { incidentForm } from '../payments/incidents.ts'
import { waitOf, type WaitColumns } from '../payments/waits.ts'
import type { LedgerIncident } from '../tables.ts'
import { asPlatform } from './as-platform.ts'
import { startBusinessApp, type BusinessApp } from './business-app.ts'

export interface FurtherAsset {
  issuer: AccountKey
  key: string
  asset: Asset
}

/** A business server of the asset MUMBAI on a ledger of its own. No workers run. */
export class LedgerAnchor {
  readonly app: BusinessApp
  readonly network: LocalNetwork
  readonly horizon: Horizon

  private constructor(app: BusinessApp, network: LocalNetwork, horizon: Horizon) {
    this.app = app
    this.network = network
    this.horizon = horizon
  }

  /**
   * @param contracts whether the ledger has contracts, and the anchor a Stellar RPC
   * @param deploysContracts whether the contract of an asset has to be deployed
   * @param beside an anchor on whose ledger it is, and whose asset it serves
   */
  static async start({
    contracts = false,
    deploysContracts = false,
    beside,
    closeEvery = 'at-once',
  }: {
    contracts?: boolean
    deploysContracts?: boolean
    beside?: LedgerAnchor
    closeEvery?: CloseEvery
  } = {}): Promise<LedgerAnchor> {
    const network =
      beside?.network ?? (await startLocalNetwork({ closeEvery, adminPort: 0, deploysContracts }))
    const horizon = createHorizon(network)
    const rpc = (transaction: string) => simulate(`${network.url}/rpc`, transaction)
    const app = await startBusinessApp({ horizon, simulate: contracts ? rpc : null })
    if (!beside) return new LedgerAnchor(app, network, horizon)
    const { anchor } = app.deps.config
    const issuer = beside.issuer.publicKey
    anchor.accounts.issuer = issuer
    anchor.plan.asset = { ...anchor.plan.asset, issuer, issued: '0' }
    const second = new LedgerAnchor({ ...app, issuer: beside.issuer }, network, horizon)
    await second.fund(second.distribution)
    await second.openTrustlines()
    const units = { asset: beside.asset, amount: '10000', destination: second.distribution.publicKey }
    await second.apply(beside.issuer, [Operation.payment(units)], Memo.text('top-up'))
    return second
  }

  async stop(): Promise<void> {
    await this.app.close()
    await this.network.stop()
  }

  get deps(): Deps {
    return this.app.deps
  }

  get distribution(): AccountKey {
    return this.app.distribution
  }

  get issuer(): AccountKey {
    return this.app.issuer
  }

  get asset(): Asset {
    return new Asset('MUMBAI', this.issuer.publicKey)
  }

  /** A transaction of one account, applied. */
  async apply(source: AccountKey, operations: xdr.Operation[], memo: Memo = Memo.none()): Promise<void> {
    const account = await this.horizon.account(source.publicKey)
    const builder = new TransactionBuilder(new Account(source.publicKey, account?.sequence ?? '0'), {
      fee: '100000',
      networkPassphrase: this.network.passphrase,
      memo,
    }).setTimeout(0)
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.build()
    signTransaction(transaction, source.secret)
    expect(await this.horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
  }

  async fund(account: AccountKey): Promise<void> {
    await fundFromFaucet(this.network.friendbotUrl, this.horizon, account.publicKey)
  }

  /** Creates the anchor's accounts and issues its asset. `xlm` is what the distribution account has; by default friendbot's 10,000. */
  async issue(xlm?: string): Promise<void> {
    const { issuer, distribution } = this
    await this.fund(issuer)
    if (xlm === undefined) await this.fund(distribution)
    else {
      const operation = Operation.createAccount({ destination: distribution.publicKey, startingBalance: xlm })
      await this.apply(issuer, [operation])
    }
    await issueAsset({
      horizon: this.horizon,
      networkPassphrase: this.network.passphrase,
      store: memoryEnvelopes(),
      issuer: seedSigner(issuer.secret),
      distribution: seedSigner(distribution.secret),
      assetCode: 'MUMBAI',
      further: this.deps.config.anchor.plan.furtherAssets ?? [],
      amount: '1000000',
      homeDomain: 'mumbai.anchors.localhost',
      reference: 'anchor',
    })
  }

  /** Another asset that the anchor is to serve, of an issuer of its own; before `issue` or `trust`. */
  async addAsset(code: string, flags = 0): Promise<FurtherAsset> {
    const issuer = await openIssuer(this.network, flags)
    const { plan } = this.deps.config.anchor
    const asset = { code, issuer: issuer.publicKey, name: code, anchoredTo: 'USD' }
    plan.furtherAssets = [...(plan.furtherAssets ?? []), asset]
    return { issuer, key: idOf(asset), asset: new Asset(code, issuer.publicKey) }
  }

  /** A customer who holds 1,000 of a further asset, and 1,000 of the first one. */
  async customerWith({ asset, issuer }: FurtherAsset): Promise<AccountKey> {
    const customer = await this.customerWithAsset()
    await this.apply(customer, [Operation.changeTrust({ asset })])
    await this.apply(issuer, [Operation.payment({ asset, amount: '1000', destination: customer.publicKey })])
    return customer
  }

  /** Creates the anchor's accounts; its asset exists and is issued by someone else, who asks of lines what `flags` say. */
  async trust(flags = 0): Promise<void> {
    const { issuer, distribution } = this
    const { anchor } = this.deps.config
    anchor.plan.asset = { ...anchor.plan.asset, issuer: issuer.publicKey, issued: '0' }
    for (const account of [issuer, distribution]) await this.fund(account)
    await this.apply(issuer, [Operation.setOptions({ setFlags: flags as AuthFlag })])
    await this.openTrustlines()
  }

  /**
   * Creates the anchor's account; its asset is XLM, of which one dollar buys 8.
   *
   * @param xlm what the account is opened with
   */
  async serveXlm(xlm = '5'): Promise<void> {
    const { anchor, fx } = this.deps.config
    anchor.accounts.issuer = NATIVE
    anchor.plan.asset = { code: 'XLM', issuer: NATIVE, name: 'Lumen', anchoredTo: 'XLM', issued: '0' }
    Object.assign(fx, { XLM: '8', EUR: '0.92' })
    const platform = generateKey()
    await this.fund(platform)
    const opening = { destination: this.distribution.publicKey, startingBalance: xlm }
    await this.apply(platform, [Operation.createAccount(opening)])
    await this.openTrustlines()
  }

  private async openTrustlines(): Promise<void> {
    const { anchor } = this.deps.config
    await trustAsset({
      horizon: this.horizon,
      networkPassphrase: this.network.passphrase,
      store: memoryEnvelopes(),
      distribution: seedSigner(this.distribution.secret),
      assets: servedAssets(anchor).filter(asset => !isNative(asset)),
      homeDomain: 'mumbai.anchors.localhost',
      reference: 'anchor',
    })
  }

  /** A customer who holds 1,000 of the asset. */
  async customerWithAsset(): Promise<AccountKey> {
    const customer = generateKey()
    await this.fund(customer)
    await this.apply(customer, [Operation.changeTrust({ asset: this.asset })])
    const payment = { asset: this.asset, amount: '1000', destination: customer.publicKey }
    await this.apply(this.issuer, [Operation.payment(payment)])
    return customer
  }

  /** How much of the asset an account has. */
  async held(account: AccountKey): Promise<string | undefined> {
    const balances = (await this.horizon.account(account.publicKey))?.balances
    return balances?.find(({ asset }) => asset !== 'native')?.balance
  }

  /** A customer's payment of the asset to the distribution account. */
  async sendBack(from: AccountKey, amount: string, memo: Memo = Memo.none()): Promise<void> {
    const destination = this.distribution.publicKey
    await this.apply(from, [Operation.payment({ asset: this.asset, amount, destination })], memo)
  }

  queue(
    destination: string,
    more: { claimable?: boolean; amount?: string; cause?: string; memo?: string; memo_type?: string } = {},
  ): ReturnType<typeof queuePayment> {
    return queuePayment(this.deps, this.deps.database.db, {
      cause: `test:${randomUUID()}`,
      transfer_id: null,
      purpose: 'refund',
      asset: null,
      destination,
      amount: '10',
      memo: null,
      memo_type: null,
      claimable: false,
      ...more,
    })
  }

  /** Pays what is queued, whenever its next try is due. */
  async pay(over: Partial<Deps> = {}): Promise<void> {
    await this.deps.database.pool.query('update ledger_payments set next_try_at = now()')
    await payQueued({ ...this.deps, ...over })
  }

  /** As `pay`, in a process that dies at this point. */
  async payUntil(point: string): Promise<void> {
    const at = (name: string) => {
      if (name === point) throw new Error('the process died')
    }
    await this.pay({ faults: { at } })
  }

  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.deps.database.pool.query<Row>(sql)).rows
  }

  async payments() {
    const rows = await this.rows<WaitColumns & { state: string; attempts: number }>(
      'select state, wait_code, wait_details, attempts from ledger_payments order by created_at',
    )
    return rows.map(({ state, attempts, ...columns }) => ({ state, attempts, wait: waitOf(columns) }))
  }

  async incidents() {
    const rows = await this.rows<LedgerIncident>('select * from ledger_incidents order by found_at')
    return rows.map(row => ({ ...row, ...incidentForm(row), resolved_at: row.resolved_at }))
  }

  /** An operator says what Horizon's other chain is. */
  async sayOfOtherChain(outcome: 'applied' | 'not-applied') {
    const open = (await this.incidents()).find(
      ({ kind, resolved_at }) => kind === 'other-chain' && !resolved_at,
    )
    return this.app.server.app.inject({
      method: 'POST',
      url: `/admin/ledger-incidents/${open?.id}/resolve`,
      headers: asPlatform(this.deps.config.secrets),
      payload: { outcome, resolution: 'The network told us.', by: 'operator:asha' },
    })
  }

  /** Horizon shows another chain; an operator says that the network was reset, and the ledger bears it out. */
  async recordReset(): Promise<void> {
    await observePayments({ ...this.deps })
    expect((await this.sayOfOtherChain('applied')).statusCode).toBe(200)
  }

  /** How many transactions the distribution account has made, failed ones too. */
  async transactions(): Promise<number> {
    return (await this.horizon.transactionsOf(this.distribution.publicKey)).length
  }

  /** Makes the ledgers up to now older than the anchor's Horizon keeps. Returns the address of one that has them all. */
  async forgetLedgers(): Promise<string> {
    for (let count = 0; count < 260; count++) this.network.close()
    const { instances } = await this.network.setFaults({
      instances: { main: { retention: { ledgers: 250 } }, full: {} },
    })
    return instances.full?.url ?? ''
  }
}
