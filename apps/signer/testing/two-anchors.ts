import {
  Account,
  Asset,
  Keypair,
  Memo,
  Operation,
  TransactionBuilder,
  type Transaction,
  type FeeBumpTransaction,
  type xdr,
} from '@stellar/stellar-sdk/base'
import {
  getSigning,
  putSigningLimits,
  signPayment,
  type SigningLimits,
} from '@windlass/contracts/internal/signer.ts'
import { RESERVES_TYPE } from '@windlass/contracts/anchor/reserves.ts'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { PASSPHRASE, startSigner, type AnchorAtSigner, type RunningSigner } from './running-signer.ts'
import { challengeTransaction } from './challenge.ts'

export let signer: RunningSigner
export let mumbai: AnchorAtSigner
export let delhi: AnchorAtSigner

/** To be called by a file of tests: the signer runs while they do, and each of them has two new anchors. */
export function startTwoAnchors(): void {
  let number = 0
  beforeAll(async () => {
    signer = await startSigner()
  })
  beforeEach(async () => {
    mumbai = await signer.addAnchor(`mumbai${number}`)
    delhi = await signer.addAnchor(`delhi${number++}`)
  })
  afterAll(() => signer.stop())
}

export const wallet = Keypair.random().publicKey()
export const assetOf = ({ accounts }: AnchorAtSigner, code = 'MUMBAI') => new Asset(code, accounts.issuer)
export const soon = () => Math.floor(Date.now() / 1_000) + 120
export const ERROR = {
  refused: { status: 403, problem: { code: 'signature-refused' } },
  limited: { status: 429 },
}

export interface Form {
  source?: string
  sequence?: string
  fee?: string
  maxTime?: number
  passphrase?: string
}

export function transactionOf(operations: xdr.Operation[], form: Form = {}, anchor = mumbai): Transaction {
  const { source = anchor.accounts.distribution, sequence = '1', fee = '100', maxTime = soon() } = form
  const builder = new TransactionBuilder(new Account(source, String(BigInt(sequence) - 1n)), {
    fee,
    networkPassphrase: form.passphrase ?? PASSPHRASE,
    timebounds: { minTime: 0, maxTime },
    memo: Memo.text('withdrawal'),
  })
  for (const operation of operations) builder.addOperation(operation)
  return builder.build()
}

export function reservesOf({ accounts }: AnchorAtSigner) {
  return {
    ...{ type: RESERVES_TYPE, homeDomain: 'mumbai.example', networkPassphrase: PASSPHRASE, ledger: 7 },
    ...{ at: new Date().toISOString(), asset: { code: 'MUMBAI', issuer: accounts.issuer } },
    units: { issued: '0', held: '0', cold: '0', circulating: '0', owed: '0' },
    ...{ distributionAccount: accounts.distribution, coldAccount: null, money: [], owedMoney: [] },
  }
}

export const pay = (amount: string, form: Form = {}, destination = wallet) =>
  transactionOf([Operation.payment({ asset: assetOf(mumbai), amount, destination })], form)

/** Asks for the signature with whatever credential someone holds. */
export const askPayment = async (
  transaction: Transaction | FeeBumpTransaction,
  by = mumbai.credentials.business,
) => {
  const body = { transaction: transaction.toXdr() }
  return Buffer.from((await signer.as(by).call(signPayment, { body })).signature, 'base64')
}
export const seen = async ({ id }: AnchorAtSigner) =>
  signer.control.call(getSigning, { params: { anchorId: id } })
export const setLimits = (body: SigningLimits) =>
  signer.control.call(putSigningLimits, { params: { anchorId: mumbai.id }, body })

export const challengeOf = (
  anchor: AnchorAtSigner,
  over: { homeDomain?: string; server?: string } = {},
  now = new Date(),
) => {
  const homeDomain = over.homeDomain ?? `${anchor.id}.anchors.test`
  const server = over.server ?? anchor.accounts.signing
  const terms = {
    server,
    networkPassphrase: PASSPHRASE,
    homeDomain,
    webAuthDomain: `${anchor.id}.anchors.test`,
  }
  return challengeTransaction(server, terms, { account: wallet }, now)
}
