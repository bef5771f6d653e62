import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf, publicKeyOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName, assetXdr, type AssetName } from '../ledger/assets.ts'
import { int64Max } from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'
import { convert, type Converted } from './crossing.ts'
import { isIssuer, receive, spend } from './holdings.ts'
import type { Ending, Operation, OperationOutcome, Scope } from './operation.ts'

type Failure =
  | 'Malformed'
  | 'Underfunded'
  | 'SrcNoTrust'
  | 'SrcNotAuthorized'
  | 'NoDestination'
  | 'NoTrust'
  | 'NotAuthorized'
  | 'LineFull'
  | 'TooFewOffers'
  | 'OfferCrossSelf'

/** What both path payments have in common. */
interface Payment {
  readonly destination: string
  readonly send: AssetName
  readonly receive: AssetName
  readonly path: readonly AssetName[]
  failed(code: Failure): xdr.OperationResultTr
}

const Send = xdr.PathPaymentStrictSendResult
const Receive = xdr.PathPaymentStrictReceiveResult
/** A result as the network leaves it for a payment that was never tried: all zeros. */
const untried = Buffer.alloc(52)

export function pathPaymentStrictSend(op: xdr.PathPaymentStrictSendOp): Operation {
  const result = (code: xdr.PathPaymentStrictSendResult) => xdr.OperationResultTr.pathPaymentStrictSend(code)
  const failed = (code: Failure) => result(Send[`pathPaymentStrictSend${code}`]())
  const payment = paymentOf(op, op.destAsset, failed)
  return {
    type: 'path_payment_strict_send',
    typeNumber: 13,
    threshold: 'medium',
    moves: true,
    untried: result(
      Send.pathPaymentStrictSendSuccess(xdr.PathPaymentStrictSendResultSuccess.fromXdr(untried)),
    ),
    affects: [accountIdOf(op.destination)],
    malformed: () => (payment && op.sendAmount > 0n && op.destMin > 0n ? undefined : failed('Malformed')),
    apply({ state, source, ledger: { frozen } }) {
      if (!payment) return failed('Malformed')
      if (!destinationExists(state, payment)) return failed('NoDestination')
      const spent = takeFromSource(state, source, payment, op.sendAmount)
      if (spent) return spent
      let [asset, amount] = [payment.send, op.sendAmount]
      const offers: xdr.ClaimAtom[] = []
      for (const next of [...payment.path, payment.receive]) {
        if (next === asset) continue
        const converted = convert(state, {
          send: asset,
          maxSend: amount,
          receive: next,
          maxReceive: int64Max,
          rounding: 'strict-send',
          crossed: offers.length,
          frozen,
          refuse: offer => (offer.seller === source ? 'cross-self' : undefined),
        })
        const refused = conversionFailure(converted, converted.sent === amount, payment)
        if (refused) return refused
        offers.push(...converted.claims)
        ;[asset, amount] = [next, converted.received]
      }
      if (amount < op.destMin) return result(Send.pathPaymentStrictSendUnderDestmin())
      const given = giveToDestination(state, payment, amount)
      if (given) return given
      return result(
        Send.pathPaymentStrictSendSuccess(
          new xdr.PathPaymentStrictSendResultSuccess({ offers, last: lastPayment(payment, amount) }),
        ),
      )
    },
    record: (source, ending) => ({
      ...paymentFields(source, op, op.destAsset),
      amount: amountText(receivedAmount(ending)),
      source_amount: amountText(op.sendAmount),
      destination_min: amountText(op.destMin),
    }),
  }
}

export function pathPaymentStrictReceive(op: xdr.PathPaymentStrictReceiveOp): Operation {
  const result = (code: xdr.PathPaymentStrictReceiveResult) =>
    xdr.OperationResultTr.pathPaymentStrictReceive(code)
  const failed = (code: Failure) => result(Receive[`pathPaymentStrictReceive${code}`]())
  const payment = paymentOf(op, op.destAsset, failed)
  const apply = ({ state, source, ledger: { frozen } }: Scope): OperationOutcome => {
    if (!payment) return failed('Malformed')
    if (!destinationExists(state, payment)) return failed('NoDestination')
    const given = giveToDestination(state, payment, op.destAmount)
    if (given) return given
    let [asset, amount] = [payment.receive, op.destAmount]
    const offers: xdr.ClaimAtom[] = []
    for (const next of [...payment.path.toReversed(), payment.send]) {
      if (next === asset) continue
      const converted = convert(state, {
        send: next,
        maxSend: int64Max,
        receive: asset,
        maxReceive: amount,
        rounding: 'strict-receive',
        crossed: offers.length,
        frozen,
        refuse: offer => (offer.seller === source ? 'cross-self' : undefined),
      })
      const refused = conversionFailure(converted, converted.received === amount, payment)
      if (refused) return refused
      // The result lists offers from the source to the destination.
      offers.unshift(...converted.claims)
      ;[asset, amount] = [next, converted.sent]
    }
    if (amount > op.sendMax) return result(Receive.pathPaymentStrictReceiveOverSendmax())
    const spent = takeFromSource(state, source, payment, amount)
    if (spent) return spent
    return result(
      Receive.pathPaymentStrictReceiveSuccess(
        new xdr.PathPaymentStrictReceiveResultSuccess({
          offers,
          last: lastPayment(payment, op.destAmount),
        }),
      ),
    )
  }
  return {
    type: 'path_payment_strict_receive',
    typeNumber: 2,
    threshold: 'medium',
    moves: true,
    untried: result(
      Receive.pathPaymentStrictReceiveSuccess(xdr.PathPaymentStrictReceiveResultSuccess.fromXdr(untried)),
    ),
    affects: [accountIdOf(op.destination)],
    malformed: () => (payment && op.destAmount > 0n && op.sendMax > 0n ? undefined : failed('Malformed')),
    apply,
    record: (source, ending) => ({
      ...paymentFields(source, op, op.destAsset),
      amount: amountText(op.destAmount),
      source_amount: amountText(sentAmount(ending, op)),
      source_max: amountText(op.sendMax),
    }),
  }
}

interface Body {
  readonly destination: xdr.MuxedAccount
  readonly sendAsset: xdr.Asset
  readonly path: readonly xdr.Asset[]
}

/** Undefined when one of its assets is none. */
function paymentOf(body: Body, destAsset: xdr.Asset, failed: Payment['failed']): Payment | undefined {
  const send = assetName(body.sendAsset)
  const receive = assetName(destAsset)
  const path = body.path.flatMap(asset => assetName(asset) ?? [])
  if (!send || !receive || path.length !== body.path.length) return undefined
  return { destination: accountIdOf(body.destination), send, receive, path, failed }
}

/** An asset can be sent back to its issuer even after the issuer's account is gone. */
function destinationExists(state: LedgerState, { destination, send, receive, path }: Payment): boolean {
  const burns = path.length === 0 && send === receive && isIssuer(destination, receive)
  return burns || state.account(destination) !== undefined
}

function takeFromSource(
  state: LedgerState,
  source: string,
  { send, failed }: Payment,
  amount: bigint,
): xdr.OperationResultTr | undefined {
  switch (spend(state, source, send, amount)) {
    case 'no-trust':
      return failed('SrcNoTrust')
    case 'not-authorized':
      return failed('SrcNotAuthorized')
    case 'underfunded':
      return failed('Underfunded')
    case 'done':
      return undefined
  }
}

function giveToDestination(
  state: LedgerState,
  payment: Payment,
  amount: bigint,
): xdr.OperationResultTr | undefined {
  switch (receive(state, payment.destination, payment.receive, amount)) {
    case 'no-trust':
      return payment.failed('NoTrust')
    case 'not-authorized':
      return payment.failed('NotAuthorized')
    case 'full':
      return payment.failed('LineFull')
    case 'done':
      return undefined
  }
}

/** @param exact whether it came to the amount that the payment fixes */
function conversionFailure(
  { status }: Converted,
  exact: boolean,
  { failed }: Payment,
): OperationOutcome | undefined {
  if (status === 'too-many') return 'opExceededWorkLimit'
  if (status === 'cross-self') return failed('OfferCrossSelf')
  return status === 'ok' && exact ? undefined : failed('TooFewOffers')
}

function lastPayment({ destination, receive }: Payment, amount: bigint): xdr.SimplePaymentResult {
  return new xdr.SimplePaymentResult({
    destination: publicKeyOf(destination),
    asset: assetXdr(receive),
    amount,
  })
}

function paymentFields(source: xdr.MuxedAccount, body: Body, destAsset: xdr.Asset): Record<string, unknown> {
  const fields = (asset: xdr.Asset, prefix?: string) => assetFields(assetName(asset) ?? 'native', prefix)
  return {
    ...fields(destAsset),
    ...accountFields('from', source),
    ...accountFields('to', body.destination),
    path: body.path.map(asset => fields(asset)),
    ...fields(body.sendAsset, 'source_asset'),
  }
}

/** What a strict send came to; nothing when it failed. */
function receivedAmount({ result }: Ending): bigint {
  const inner = result?.type === 'opInner' ? result.tr : undefined
  if (inner?.type !== 'pathPaymentStrictSend') return 0n
  const { value } = inner
  return value.type === 'pathPaymentStrictSendSuccess' ? value.success.last.amount : 0n
}

/** What a strict receive cost: what its first hop took, or the amount itself where it has none. */
function sentAmount({ result }: Ending, { sendAsset, destAmount }: xdr.PathPaymentStrictReceiveOp): bigint {
  const inner = result?.type === 'opInner' ? result.tr : undefined
  if (inner?.type !== 'pathPaymentStrictReceive') return 0n
  const { value } = inner
  if (value.type !== 'pathPaymentStrictReceiveSuccess') return 0n
  const { offers } = value.success
  if (offers.length === 0) return destAmount
  const send = assetName(sendAsset)
  let sent = 0n
  for (const { value: claim } of offers) {
    if (assetName(claim.assetBought) !== send) break
    sent += claim.amountBought
  }
  return sent
}
