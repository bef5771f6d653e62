import {
  Account,
  Asset,
  Keypair,
  Operation,
  TransactionBuilder,
  type FeeBumpTransaction,
  type Transaction,
  type xdr,
} from '@stellar/stellar-sdk/base'
import { issueSigner } from '@windlass/client/signer.ts'
import { signPayment } from '@windlass/contracts/internal/signer.ts'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon, type Horizon, type Submission } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { startSigner, type AnchorAtSigner, type RunningSigner } from './running-signer.ts'

/** An anchor whose accounts are on a ledger that the signer reads, with its asset issued. */
export interface AnchorOnLedger {
  network: LocalNetwork
  horizon: Horizon
  signer: RunningSigner
  anchor: AnchorAtSigner
  asset: Asset
  /** Those of the anchor, as nobody outside of a test has them. */
  keys: Readonly<Record<'issuer' | 'distribution' | 'signing', Keypair>>
  /** Someone with XLM and a trustline. */
  stranger: Keypair
  /** The platform’s account that pays for anchors’ accounts. */
  purse: Keypair
  /** The next transaction of an account; `change` sets what the builder should have beside that. */
  build(
    account: string,
    operations: xdr.Operation[],
    change?: (builder: TransactionBuilder) => TransactionBuilder,
  ): Promise<Transaction>
  /** Has the signer sign it, as the business server. */
  sign(transaction: Transaction | FeeBumpTransaction): Promise<void>
  submit(transaction: Transaction | FeeBumpTransaction): Promise<Submission>
  stop(): Promise<void>
}

export async function startOnLedger(id = 'mumbai', protocol = 20): Promise<AnchorOnLedger> {
  const network = await startLocalNetwork({ closeEvery: 'at-once', protocol })
  const purse = Keypair.random()
  const signer = await startSigner({ HORIZON_URL: network.url, FUNDING_ACCOUNT: purse.secret() })
  const horizon = createHorizon(network)
  const keys = { issuer: Keypair.random(), distribution: Keypair.random(), signing: Keypair.random() }
  const stranger = Keypair.random()
  const anchor = await signer.addAnchor(id, {
    seeds: {
      issuer: keys.issuer.secret(),
      distribution: keys.distribution.secret(),
      signing: keys.signing.secret(),
    },
  })
  // Anyone can open the signing account, which has no use on the ledger.
  for (const key of [...Object.values(keys), stranger, purse])
    await fundFromFaucet(network.friendbotUrl, horizon, key.publicKey())
  await issueAsset({
    horizon,
    networkPassphrase: network.passphrase,
    store: memoryEnvelopes(),
    issuer: issueSigner(signer.control, id, anchor.accounts.issuer),
    distribution: issueSigner(signer.control, id, anchor.accounts.distribution),
    ...{ assetCode: 'MUMBAI', amount: '10000', homeDomain: `${id}.anchors.test`, reference: id },
  })
  const asset = new Asset('MUMBAI', anchor.accounts.issuer)
  const build: AnchorOnLedger['build'] = async (account, operations, change = builder => builder) => {
    const found = await horizon.account(account)
    const builder = new TransactionBuilder(new Account(account, found?.sequence ?? '0'), {
      fee: '1000',
      networkPassphrase: network.passphrase,
      timebounds: { minTime: 0, maxTime: Math.floor(Date.now() / 1_000) + 600 },
    })
    for (const operation of operations) builder.addOperation(operation)
    return change(builder).build()
  }
  const submit: AnchorOnLedger['submit'] = transaction => horizon.submit(transaction.toXdr())
  const trusting = await build(stranger.publicKey(), [Operation.changeTrust({ asset })])
  trusting.sign(stranger)
  await submit(trusting)
  return {
    ...{ network, horizon, signer, anchor, asset, keys, stranger, purse, build, submit },
    sign: async transaction => {
      const body = { transaction: transaction.toXdr() }
      const { signature } = await signer.as(anchor.credentials.business).call(signPayment, { body })
      transaction.addSignature(anchor.accounts.distribution, signature)
    },
    stop: async () => {
      await signer.stop()
      await network.stop()
    },
  }
}
