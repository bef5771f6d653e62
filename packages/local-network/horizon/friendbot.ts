import { sign, createPrivateKey, type KeyObject } from 'node:crypto'
import { StrKey, xdr, type Keypair } from '@stellar/stellar-sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { publicKeyOf } from '../ledger/addresses.ts'
import type { Incoming } from '../ledger/envelope.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { requireOwnHost } from './hosts.ts'
import type { Instance } from './instance.ts'
import { HorizonProblem, badRequest, overCapacity } from './problems.ts'
import { baseUrl, formValue, queryValue } from './requests.ts'
import { included } from './submission.ts'

/** Stroops: 10,000 XLM. */
const gift = 10_000n * 10_000_000n

/** Gives a new account 10,000 XLM. */
export function friendbotRoutes(app: FastifyInstance, instance: Instance): void {
  const key = signingKey(instance.ledger.root)
  const fund = (request: FastifyRequest, address: string) => {
    requireOwnHost(request, instance.allowedHosts)
    if (!StrKey.isValidEd25519PublicKey(address))
      throw badRequest('addr', address === '' ? 'addr: an account id is required' : 'addr: not an account id')
    if (instance.ledger.pendingAccount(address)) throw alreadyFunded()
    return included(instance, instance.submit(gifting(instance.ledger, key, address)), baseUrl(request))
  }
  app.get('/friendbot', request => fund(request, queryValue(request, 'addr')))
  app.post('/friendbot', request => fund(request, queryValue(request, 'addr') || formValue(request, 'addr')))
}

const alreadyFunded = () =>
  new HorizonProblem('bad_request', 'Bad Request', 400, 'account already funded to starting balance')

function signingKey(root: Keypair): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({
    key: Buffer.concat([prefix, root.rawSecretKey()]),
    format: 'der',
    type: 'pkcs8',
  })
}

/** A signed transaction that makes the account, at the root account's next sequence. */
function gifting(ledger: Ledger, key: KeyObject, address: string): Incoming {
  const root = ledger.pendingAccount(ledger.root.publicKey())
  if (!root) throw overCapacity('The account friendbot pays from was merged away. Reset the network.')
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(ledger.root.rawPublicKey()),
    fee: Number(ledger.fees.price),
    seqNum: root.sequence + 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [
      new xdr.Operation({
        sourceAccount: null,
        body: xdr.OperationBody.createAccount(
          new xdr.CreateAccountOp({ destination: publicKeyOf(address), startingBalance: gift }),
        ),
      }),
    ],
    ext: xdr.TransactionExt.v0(),
  })
  const envelope = (signatures: xdr.DecoratedSignature[]) =>
    xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures })).toXdr('base64')
  const { hash } = ledger.read(envelope([]))
  const signature = new xdr.DecoratedSignature({
    hint: ledger.root.signatureHint(),
    signature: sign(null, hash, key),
  })
  return ledger.read(envelope([signature]))
}
