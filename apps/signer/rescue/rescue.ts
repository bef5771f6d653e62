import {
  Account,
  Asset,
  Memo,
  Operation,
  TransactionBuilder,
  type Transaction,
} from '@stellar/stellar-sdk/base'
import { feeBid, DEFAULT_MAX_FEE } from '@windlass/stellar/fees.ts'
import type { Horizon, Submission } from '@windlass/stellar/horizon.ts'
import { addSignature, type TransactionSigner } from '@windlass/stellar/keys.ts'

interface Rescue {
  horizon: Horizon
  networkPassphrase: string
  /** Signer of the account that has the money, whose own sequence numbers are used up. */
  owner: TransactionSigner
  /** Signer of any other account with XLM for the fee: its sequence number is used. */
  helper: TransactionSigner
  destination: string
  /** `XLM`, or `CODE:ISSUER`. */
  asset: string
  /** In units of the asset. */
  amount: string
  /** Memo of type text. */
  memo?: string
}

const VALID_SECONDS = 180

/**
 * Moves money of an account that can be the source of no transaction any more, by one of another account: an operation
 * may have another source than its transaction. Made once; after `unknown` look for the hash before it is made again.
 */
export async function rescue(wanted: Rescue): Promise<Submission & { hash: string }> {
  const transaction = await build(wanted)
  await addSignature(transaction, wanted.helper)
  await addSignature(transaction, wanted.owner)
  const submission = await wanted.horizon.submit(transaction.toXdr())
  return { ...submission, hash: Buffer.from(transaction.hash()).toString('hex') }
}

async function build(wanted: Rescue): Promise<Transaction> {
  const { horizon, networkPassphrase, owner, helper, destination, amount, memo } = wanted
  const account = await horizon.account(helper.address)
  if (!account) throw new Error(`The ledger has no account ${helper.address}.`)
  const { closedAt } = await horizon.head()
  const [code = '', issuer] = wanted.asset.split(':')
  const asset = issuer === undefined ? Asset.native() : new Asset(code, issuer)
  return new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: String(await feeBid(horizon, DEFAULT_MAX_FEE)),
    networkPassphrase,
    timebounds: { minTime: 0, maxTime: Math.floor(closedAt.getTime() / 1_000) + VALID_SECONDS },
    memo: memo === undefined ? Memo.none() : Memo.text(memo),
  })
    .addOperation(Operation.payment({ source: owner.address, destination, asset, amount }))
    .build()
}
