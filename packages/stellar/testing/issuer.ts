import {
  Account,
  type Asset,
  type AuthFlag,
  Memo,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk/base'
import { fundFromFaucet } from '../friendbot.ts'
import { createHorizon } from '../horizon.ts'
import { generateKey, signTransaction, type AccountKey } from '../keys.ts'

interface Network {
  url: string
  friendbotUrl: string
  passphrase: string
}

/** An account that issues assets, and asks of lines for them what `flags` say. */
export async function openIssuer(network: Network, flags: number, key = generateKey()): Promise<AccountKey> {
  const horizon = createHorizon(network)
  await fundFromFaucet(network.friendbotUrl, horizon, key.publicKey)
  await apply(network, key, Operation.setOptions({ setFlags: flags as AuthFlag }))
  return key
}

/** Pays some of an asset, with a text memo. */
export const payFrom = (
  network: Network,
  key: AccountKey,
  asset: Asset,
  amount: string,
  { destination, memo }: { destination: string; memo: string },
): Promise<void> => apply(network, key, Operation.payment({ asset, amount, destination }), Memo.text(memo))

async function apply(
  network: Network,
  key: AccountKey,
  operation: xdr.Operation,
  memo: Memo = Memo.none(),
): Promise<void> {
  const horizon = createHorizon(network)
  const account = await horizon.account(key.publicKey)
  const transaction = new TransactionBuilder(new Account(key.publicKey, account?.sequence ?? '0'), {
    fee: '1000',
    networkPassphrase: network.passphrase,
    memo,
  })
    .addOperation(operation)
    .setTimeout(0)
    .build()
  signTransaction(transaction, key.secret)
  const submitted = await horizon.submit(transaction.toXdr())
  if (submitted.outcome !== 'applied') throw new Error(`the issuer's transaction was ${submitted.outcome}`)
}
