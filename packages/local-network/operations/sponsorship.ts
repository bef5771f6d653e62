import { SignerKey, xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { entryKeyOf, lineName } from '../ledger/entry-xdr.ts'
import type { LedgerState } from '../ledger/state.ts'
import type { Operation, OperationOutcome } from './operation.ts'
import { moveReserve, ownerOf, putSigners, reservesOf, type Reserved } from './reserves.ts'

const Begin = xdr.BeginSponsoringFutureReservesResult
const begun = (code: xdr.BeginSponsoringFutureReservesResult) =>
  xdr.OperationResultTr.beginSponsoringFutureReserves(code)
const End = xdr.EndSponsoringFutureReservesResult
const ended = (code: xdr.EndSponsoringFutureReservesResult) =>
  xdr.OperationResultTr.endSponsoringFutureReserves(code)
const Revoke = xdr.RevokeSponsorshipResult
const revoked = (code: xdr.RevokeSponsorshipResult) => xdr.OperationResultTr.revokeSponsorship(code)

export function beginSponsoringFutureReserves(op: xdr.BeginSponsoringFutureReservesOp): Operation {
  const sponsored = accountIdOf(op.sponsoredId)
  return {
    type: 'begin_sponsoring_future_reserves',
    typeNumber: 16,
    threshold: 'medium',
    moves: false,
    untried: begun(Begin.beginSponsoringFutureReservesSuccess()),
    affects: [sponsored],
    malformed: source =>
      source === sponsored ? begun(Begin.beginSponsoringFutureReservesMalformed()) : undefined,
    apply({ state, source }) {
      const { sponsorships } = state
      if (sponsorships.has(sponsored)) return begun(Begin.beginSponsoringFutureReservesAlreadySponsored())
      if (sponsorships.has(source) || [...sponsorships.values()].includes(sponsored))
        return begun(Begin.beginSponsoringFutureReservesRecursive())
      sponsorships.set(sponsored, source)
      return begun(Begin.beginSponsoringFutureReservesSuccess())
    },
    record: () => ({ sponsored_id: sponsored }),
  }
}

export const endSponsoringFutureReserves: Operation = {
  type: 'end_sponsoring_future_reserves',
  typeNumber: 17,
  threshold: 'medium',
  moves: false,
  untried: ended(End.endSponsoringFutureReservesSuccess()),
  affects: [],
  malformed: () => undefined,
  apply: ({ state, source }) =>
    state.sponsorships.delete(source)
      ? ended(End.endSponsoringFutureReservesSuccess())
      : ended(End.endSponsoringFutureReservesNotSponsored()),
  record(source, { earlier }) {
    const begin = earlier.findLast(
      ({ body }) =>
        body.type === 'beginSponsoringFutureReserves' &&
        accountIdOf(body.beginSponsoringFutureReservesOp.sponsoredId) === accountIdOf(source),
    )
    return begin ? { begin_sponsor: begin.source } : {}
  },
}

export function revokeSponsorship(op: xdr.RevokeSponsorshipOp): Operation {
  return {
    type: 'revoke_sponsorship',
    typeNumber: 18,
    threshold: 'medium',
    moves: false,
    untried: revoked(Revoke.revokeSponsorshipSuccess()),
    affects: ownersIn(op),
    malformed: () => (isMalformed(op) ? revoked(Revoke.revokeSponsorshipMalformed()) : undefined),
    apply: ({ state, source }) =>
      op.type === 'revokeSponsorshipSigner'
        ? revokeSigner(state, source, op.signer)
        : revokeEntry(state, source, op.ledgerKey),
    record: () => (op.type === 'revokeSponsorshipSigner' ? signerFields(op.signer) : keyFields(op.ledgerKey)),
  }
}

/** Who pays after a revocation: who sponsors the source at this moment, unless that is the owner itself. */
function nextSponsor(state: LedgerState, source: string, owner: string): string | undefined {
  const sponsor = state.sponsorships.get(source)
  return sponsor === owner ? undefined : sponsor
}

function revokeEntry(state: LedgerState, source: string, key: xdr.LedgerKey): OperationOutcome {
  const entry = reservedEntry(state, key)
  if (!entry) return revoked(Revoke.revokeSponsorshipDoesNotExist())
  const owner = ownerOf(entry) ?? entry.sponsor ?? ''
  const from = entry.sponsor ?? undefined
  if ((from ?? owner) !== source) return revoked(Revoke.revokeSponsorshipNotSponsor())
  const to = nextSponsor(state, source, owner)
  if (to === undefined && entry.kind === 'claimable-balance')
    return revoked(Revoke.revokeSponsorshipOnlyTransferable())
  if (from === undefined && to === undefined) return revoked(Revoke.revokeSponsorshipSuccess())
  if (!moveReserve(state, ownerOf(entry), { from, to, count: reservesOf(entry) }))
    return revoked(Revoke.revokeSponsorshipLowReserve())
  // Moving the reserve of an account has changed that account itself.
  const moved = entry.kind === 'account' ? (state.account(entry.id) ?? entry) : entry
  if (moved.kind === 'claimable-balance') state.put({ ...moved, sponsor: to ?? moved.sponsor })
  else state.put({ ...moved, sponsor: to ?? null })
  return revoked(Revoke.revokeSponsorshipSuccess())
}

function revokeSigner(
  state: LedgerState,
  source: string,
  { accountId, signerKey }: xdr.RevokeSponsorshipOpSigner,
): OperationOutcome {
  const owner = accountIdOf(accountId)
  const key = SignerKey.encodeSignerKey(signerKey)
  const signer = state.account(owner)?.signers.find(each => each.key === key)
  if (!signer) return revoked(Revoke.revokeSponsorshipDoesNotExist())
  const from = signer.sponsor
  if ((from ?? owner) !== source) return revoked(Revoke.revokeSponsorshipNotSponsor())
  const to = nextSponsor(state, source, owner)
  if (from === undefined && to === undefined) return revoked(Revoke.revokeSponsorshipSuccess())
  if (!moveReserve(state, owner, { from, to, count: 1 })) return revoked(Revoke.revokeSponsorshipLowReserve())
  const { sponsor: _, ...plain } = signer
  const signers = state.account(owner)?.signers ?? []
  putSigners(
    state,
    owner,
    signers.map(each => (each.key === key ? { ...plain, ...(to && { sponsor: to }) } : each)),
  )
  return revoked(Revoke.revokeSponsorshipSuccess())
}

function reservedEntry(state: LedgerState, key: xdr.LedgerKey): Reserved | undefined {
  const name = entryKeyOf(key)
  const entry = name === undefined ? undefined : state.find(name)
  if (!entry || entry.kind === 'liquidity-pool' || entry.kind === 'contract-balance') return undefined
  if (entry.kind === 'asset-contract') return undefined
  if (entry.kind === 'offer' && key.type === 'offer' && entry.seller !== accountIdOf(key.offer.sellerId))
    return undefined
  return entry
}

function isMalformed(op: xdr.RevokeSponsorshipOp): boolean {
  if (op.type === 'revokeSponsorshipSigner') return false
  const { ledgerKey: key } = op
  switch (key.type) {
    case 'trustline': {
      const name = lineName(key.trustLine.asset)
      return !name || name === 'native' || name.endsWith(`:${accountIdOf(key.trustLine.accountId)}`)
    }
    case 'offer':
      return key.offer.offerId <= 0n
    case 'data':
      return key.data.dataName.length < 1
    default:
      return key.type === 'liquidityPool' || entryKeyOf(key) === undefined
  }
}

function ownersIn(op: xdr.RevokeSponsorshipOp): string[] {
  if (op.type === 'revokeSponsorshipSigner') return [accountIdOf(op.signer.accountId)]
  const { ledgerKey: key } = op
  if (key.type === 'account') return [accountIdOf(key.account.accountId)]
  if (key.type === 'trustline') return [accountIdOf(key.trustLine.accountId)]
  if (key.type === 'offer') return [accountIdOf(key.offer.sellerId)]
  return key.type === 'data' ? [accountIdOf(key.data.accountId)] : []
}

function signerFields({ accountId, signerKey }: xdr.RevokeSponsorshipOpSigner): Record<string, string> {
  return { signer_account_id: accountIdOf(accountId), signer_key: SignerKey.encodeSignerKey(signerKey) }
}

function keyFields(key: xdr.LedgerKey): Record<string, string> {
  switch (key.type) {
    case 'account':
      return { account_id: accountIdOf(key.account.accountId) }
    case 'trustline': {
      const account = { trustline_account_id: accountIdOf(key.trustLine.accountId) }
      const asset = lineName(key.trustLine.asset) ?? ''
      return key.trustLine.asset.type === 'assetTypePoolShare'
        ? { ...account, trustline_liquidity_pool_id: asset }
        : { ...account, trustline_asset: asset }
    }
    case 'offer':
      return { offer_id: key.offer.offerId.toString() }
    case 'data':
      return { data_account_id: accountIdOf(key.data.accountId), data_name: key.data.dataName.toString() }
    case 'claimableBalance':
      return { claimable_balance_id: key.claimableBalance.balanceId.toXdr('hex') }
    default:
      return {}
  }
}
