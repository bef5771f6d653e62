import { Account, type AuthFlag, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
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
  const horizon = createHorizon(network.url)
  await fundFromFaucet(network.friendbotUrl, horizon, key.publicKey)
  const account = await horizon.account(key.publicKey)
  const transaction = new TransactionBuilder(new Account(key.publicKey, account?.sequence ?? '0'), {
    fee: '1000',
    networkPassphrase: network.passphrase,
  })
    .addOperation(Operation.setOptions({ setFlags: flags as AuthFlag }))
    .setTimeout(0)
    .build()
  signTransaction(transaction, key.secret)
  const submitted = await horizon.submit(transaction.toXdr())
  if (submitted.outcome !== 'applied') throw new Error(`the issuer's flags were ${submitted.outcome}`)
  return key
}
