import type { xdr } from '@stellar/stellar-sdk'
import { accountMerge } from './account-merge.ts'
import { bumpSequence } from './bump-sequence.ts'
import { changeTrust } from './change-trust.ts'
import {
  claimClaimableBalance,
  clawbackClaimableBalance,
  createClaimableBalance,
} from './claimable-balances.ts'
import { clawback } from './clawback.ts'
import { createAccount } from './create-account.ts'
import { invokeHostFunction } from './invoke-host-function.ts'
import { liquidityPoolDeposit, liquidityPoolWithdraw } from './liquidity-pools.ts'
import { manageData } from './manage-data.ts'
import { createPassiveSellOffer, manageBuyOffer, manageSellOffer } from './offers.ts'
import type { Operation } from './operation.ts'
import { pathPaymentStrictReceive, pathPaymentStrictSend } from './path-payments.ts'
import { payment } from './payment.ts'
import { setOptions } from './set-options.ts'
import {
  beginSponsoringFutureReserves,
  endSponsoringFutureReserves,
  revokeSponsorship,
} from './sponsorship.ts'
import { allowTrust, setTrustLineFlags } from './trust-flags.ts'

/** The rules for an operation's body; undefined for what this network does not support. */
export function operationOf(body: xdr.OperationBody): Operation | undefined {
  switch (body.type) {
    case 'createAccount':
      return createAccount(body.createAccountOp)
    case 'payment':
      return payment(body.paymentOp)
    case 'setOptions':
      return setOptions(body.setOptionsOp)
    case 'changeTrust':
      return changeTrust(body.changeTrustOp)
    case 'allowTrust':
      return allowTrust(body.allowTrustOp)
    case 'accountMerge':
      return accountMerge(body.destination)
    case 'manageData':
      return manageData(body.manageDataOp)
    case 'bumpSequence':
      return bumpSequence(body.bumpSequenceOp)
    case 'createClaimableBalance':
      return createClaimableBalance(body.createClaimableBalanceOp)
    case 'claimClaimableBalance':
      return claimClaimableBalance(body.claimClaimableBalanceOp)
    case 'clawback':
      return clawback(body.clawbackOp)
    case 'clawbackClaimableBalance':
      return clawbackClaimableBalance(body.clawbackClaimableBalanceOp)
    case 'setTrustLineFlags':
      return setTrustLineFlags(body.setTrustLineFlagsOp)
    case 'manageSellOffer':
      return manageSellOffer(body.manageSellOfferOp)
    case 'createPassiveSellOffer':
      return createPassiveSellOffer(body.createPassiveSellOfferOp)
    case 'manageBuyOffer':
      return manageBuyOffer(body.manageBuyOfferOp)
    case 'pathPaymentStrictSend':
      return pathPaymentStrictSend(body.pathPaymentStrictSendOp)
    case 'pathPaymentStrictReceive':
      return pathPaymentStrictReceive(body.pathPaymentStrictReceiveOp)
    case 'beginSponsoringFutureReserves':
      return beginSponsoringFutureReserves(body.beginSponsoringFutureReservesOp)
    case 'endSponsoringFutureReserves':
      return endSponsoringFutureReserves
    case 'revokeSponsorship':
      return revokeSponsorship(body.revokeSponsorshipOp)
    case 'liquidityPoolDeposit':
      return liquidityPoolDeposit(body.liquidityPoolDepositOp)
    case 'liquidityPoolWithdraw':
      return liquidityPoolWithdraw(body.liquidityPoolWithdrawOp)
    case 'invokeHostFunction':
      return invokeHostFunction(body.invokeHostFunctionOp)
    default:
      return undefined
  }
}
