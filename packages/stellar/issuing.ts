import {
  Account,
  Asset,
  Memo,
  Operation,
  TransactionBuilder,
  type Transaction,
} from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { MEMO_REQUIRED, spendableXlm, type HorizonAccount } from './horizon-account.ts'
import type { Horizon, LedgerHead } from './horizon.ts'
import { DEFAULT_MAX_FEE, feeBid, raiseFee } from './fees.ts'
import { addSignature, type TransactionSigner } from './keys.ts'
import { LedgerError } from './ledger-error.ts'
import { settle, type EnvelopeStore } from './settle.ts'

/** The ledger holds a home domain of at most this many bytes (CAP-0001, string32). */
const LEDGER_HOME_DOMAIN_BYTES = 32
export const fitsLedger = (homeDomain: string) => Buffer.byteLength(homeDomain) <= LEDGER_HOME_DOMAIN_BYTES

const VALID_SECONDS = 180

export interface Common {
  horizon: Horizon
  networkPassphrase: string
  store: EnvelopeStore
  /** Stroops for one operation; default: {@link DEFAULT_MAX_FEE}. */
  maxFee?: bigint
}

export interface Issue extends Common {
  issuer: TransactionSigner
  distribution: TransactionSigner
  assetCode: string
  /** Decimal string in asset units. */
  amount: string
  /** Left off the ledger where it does not fit there ({@link fitsLedger}). */
  homeDomain: string
  /** Ties the transaction to the anchor on the ledger (memo hash). */
  reference: string
  /** Existing assets for which trustlines are opened too. */
  further?: readonly Existing[]
}

interface Existing {
  code: string
  issuer: string
}

/**
 * Opens the distribution account's trustlines, pays it the issued amount, requires a memo of payments to it (SEP-29) and
 * sets the home domain of both accounts: one transaction, so all of it or nothing, and never twice. Throws
 * {@link LedgerError}.
 */
export function issueAsset(issue: Issue): Promise<'applied' | 'found'> {
  const { horizon, store } = issue
  return settle({
    horizon,
    store,
    isDone: async () => holdsIssue(await horizon.account(issue.distribution.address), issue),
    build: async head => {
      const issuer = await horizon.account(issue.issuer.address)
      if (!issuer)
        throw new LedgerError('ledger-unavailable', 'The issuing account is not on the ledger yet.')
      return buildIssue(issue, issuer, head, await bidOf(issue))
    },
    raiseFee: xdr => raise(xdr, issue, issue.distribution),
  })
}

function holdsIssue(account: HorizonAccount | null, { assetCode, issuer, further }: Issue): boolean {
  const asset = `${assetCode}:${issuer.address}`
  const holds = (account?.balances ?? []).some(line => line.asset === asset && !/^[0.]*$/.test(line.balance))
  return holds && trusts(account, further)
}

const trusts = (account: HorizonAccount | null, assets: readonly Existing[] = []): boolean =>
  assets.every(({ code, issuer }) => account?.balances.some(({ asset }) => asset === `${code}:${issuer}`))

async function buildIssue(
  issue: Issue,
  account: HorizonAccount,
  head: LedgerHead,
  fee: bigint,
): Promise<Transaction> {
  const { issuer, distribution, amount } = issue
  const asset = new Asset(issue.assetCode, issuer.address)
  const builder = builderFor(issue, account, head, fee, `windlass issue ${issue.reference}`)
    .addOperation(Operation.changeTrust({ asset, source: distribution.address }))
    .addOperation(Operation.payment({ asset, amount, destination: distribution.address }))
    // Without a memo nobody knows whose payment it is (SEP-29).
    .addOperation(requireMemos(distribution.address))
  for (const { code, issuer: other } of issue.further ?? [])
    builder.addOperation(
      Operation.changeTrust({ asset: new Asset(code, other), source: distribution.address }),
    )
  if (fitsLedger(issue.homeDomain)) {
    for (const source of [issuer.address, distribution.address]) {
      builder.addOperation(Operation.setOptions({ homeDomain: issue.homeDomain, source }))
    }
  }
  const transaction = builder.build()
  await addSignature(transaction, issuer)
  await addSignature(transaction, distribution)
  return transaction
}

type Trust = Common &
  Pick<Issue, 'distribution' | 'homeDomain' | 'reference'> & { assets: readonly Existing[] }

/**
 * Opens the distribution account's trustlines for assets that others issue, requires a memo of payments to it
 * (SEP-29) and sets its home domain: one transaction, and never twice. Throws {@link LedgerError}.
 */
export function trustAsset(trust: Trust): Promise<'applied' | 'found'> {
  const { horizon, store, distribution, assets, homeDomain } = trust
  return settle({
    horizon,
    store,
    isDone: async () => {
      const account = await horizon.account(distribution.address)
      return (account?.memoRequired && trusts(account, assets)) ?? false
    },
    build: async head => {
      const account = await horizon.account(distribution.address)
      if (!account)
        throw new LedgerError('ledger-unavailable', 'The distribution account is not on the ledger yet.')
      const memo = `windlass trust ${trust.reference}`
      const builder = builderFor(trust, account, head, await bidOf(trust), memo)
      for (const { code, issuer } of assets)
        builder.addOperation(Operation.changeTrust({ asset: new Asset(code, issuer) }))
      builder.addOperation(requireMemos(distribution.address))
      if (fitsLedger(homeDomain)) builder.addOperation(Operation.setOptions({ homeDomain }))
      const transaction = builder.build()
      await addSignature(transaction, distribution)
      return transaction
    },
    raiseFee: xdr => raise(xdr, trust, distribution),
  })
}

const requireMemos = (source: string) => Operation.manageData({ name: MEMO_REQUIRED, value: '1', source })

type MemoRequirement = Common & Pick<Issue, 'issuer' | 'distribution' | 'reference'>

/**
 * Requires a memo of payments to the distribution account of an anchor that was issued without (SEP-29). The issuing
 * account pays the fee, the distribution account the entry's reserve: where one of them lacks the XLM, nothing is
 * signed. Throws {@link LedgerError}.
 */
export function requireMemo(wanted: MemoRequirement): Promise<'applied' | 'found'> {
  const { horizon, issuer, distribution, store } = wanted
  return settle({
    horizon,
    store,
    isDone: async () => (await horizon.account(distribution.address))?.memoRequired ?? false,
    build: async head => {
      const payer = await horizon.account(issuer.address)
      const account = await horizon.account(distribution.address)
      if (!payer || !account) {
        throw new LedgerError('ledger-unavailable', 'An account of the anchor is not on the ledger.')
      }
      const fee = await bidOf(wanted)
      if (spendableXlm(payer, head.baseReserve) < fee)
        throw new LedgerError('ledger-unavailable', 'The issuing account has too little XLM for a fee.')
      if (spendableXlm(account, head.baseReserve) < head.baseReserve) {
        throw new LedgerError(
          'ledger-unavailable',
          'The distribution account has too little XLM for the reserve of a data entry.',
        )
      }
      const transaction = builderFor(wanted, payer, head, fee, `windlass memo ${wanted.reference}`)
        .addOperation(requireMemos(distribution.address))
        .build()
      await addSignature(transaction, issuer)
      await addSignature(transaction, distribution)
      return transaction
    },
    raiseFee: xdr => raise(xdr, wanted, issuer),
  })
}

export const bidOf = ({ horizon, maxFee = DEFAULT_MAX_FEE }: Common): Promise<bigint> =>
  feeBid(horizon, maxFee)

export const raise = (
  xdr: string,
  { horizon, networkPassphrase, maxFee = DEFAULT_MAX_FEE }: Common,
  payer: TransactionSigner,
) => raiseFee(xdr, { horizon, networkPassphrase, max: maxFee, payer })

// Time bounds count from the ledger's own time: this machine's clock may be wrong.
export function builderFor(
  { networkPassphrase }: Common,
  account: HorizonAccount,
  head: LedgerHead,
  fee: bigint,
  memo: string,
): TransactionBuilder {
  return new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: fee.toString(),
    networkPassphrase,
    memo: Memo.hash(createHash('sha256').update(memo).digest('hex')),
    timebounds: { minTime: 0, maxTime: Math.floor(head.closedAt.getTime() / 1000) + VALID_SECONDS },
  })
}
