import { Asset, BASE_FEE, Horizon, Keypair, Memo, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { paymentOf, Wallet } from '@windlass/wallet'

const {
  AGGREGATOR = 'http://localhost:3005',
  HORIZON = 'http://localhost:8000',
  ASSET = 'LOTUS',
  WALLET_SECRET = '',
} = process.env
const networkPassphrase = 'Test SDF Network ; September 2015'
const key = Keypair.fromSecret(WALLET_SECRET)
const signer = {
  address: key.publicKey(),
  sign(xdr) {
    const challenge = TransactionBuilder.fromXDR(xdr, networkPassphrase)
    challenge.sign(key)
    return challenge.toXDR()
  },
}

const wallet = new Wallet({ aggregator: AGGREGATOR, networkPassphrase, signer })
const transfer = await wallet.withdraw({ amount: '10', asset: ASSET, rail: 'UPI', region: 'IN' })
console.log(`Open ${transfer.url}`)
await pay(paymentOf(await transfer.until(['pending_user_transfer_start'])))
for await (const { status } of transfer.watch()) console.log(status)

/** Without the memo the anchor could not tell whose payment it is. */
async function pay({ destination, amount, asset, memo, memoType }) {
  const [code, issuer] = asset.split(':')
  const ledger = new Horizon.Server(HORIZON, { allowHttp: true })
  const options = { fee: BASE_FEE, networkPassphrase, memo: new Memo(memoType, memo) }
  const transaction = new TransactionBuilder(await ledger.loadAccount(key.publicKey()), options)
    .addOperation(Operation.payment({ destination, amount, asset: new Asset(code, issuer) }))
    .setTimeout(60)
    .build()
  transaction.sign(key)
  await ledger.submitTransaction(transaction)
  console.log(`paid ${amount} ${code}`)
}
