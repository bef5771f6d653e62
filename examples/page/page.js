import { Asset, BASE_FEE, Horizon, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import '@windlass/ramp'

const {
  VITE_AGGREGATOR: aggregator = 'http://localhost:3005',
  VITE_HORIZON: horizon = 'http://localhost:8000',
  VITE_FRIENDBOT: friendbot = `${horizon}/friendbot`,
} = import.meta.env
const networkPassphrase = 'Test SDF Network ; September 2015'

// An account of the test network that this browser keeps. A real page asks the customer's own wallet to sign.
localStorage.secret ??= Keypair.random().secret()
const key = Keypair.fromSecret(localStorage.secret)

const ramp = document.querySelector('windlass-ramp')
ramp.setAttribute('aggregator', aggregator)
ramp.signer = {
  address: key.publicKey(),
  sign(xdr) {
    const challenge = TransactionBuilder.fromXDR(xdr, networkPassphrase)
    challenge.sign(key)
    return challenge.toXDR()
  },
}
// The anchor pays once the account can hold the asset.
ramp.addEventListener('windlass-status', ({ detail }) => {
  if (detail.status === 'pending_trust') void trust(detail.amount_out_asset)
})

async function trust(asset) {
  const [, code, issuer] = asset.split(':')
  await fetch(`${friendbot}?addr=${key.publicKey()}`)
  const ledger = new Horizon.Server(horizon, { allowHttp: true })
  const options = { fee: BASE_FEE, networkPassphrase }
  const transaction = new TransactionBuilder(await ledger.loadAccount(key.publicKey()), options)
    .addOperation(Operation.changeTrust({ asset: new Asset(code, issuer) }))
    .setTimeout(60)
    .build()
  transaction.sign(key)
  await ledger.submitTransaction(transaction)
}

document.querySelector('#account').textContent = `Account ${key.publicKey()}`
