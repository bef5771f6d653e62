import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { assetFields, assetName, codeOf, splitAsset } from '../ledger/assets.ts'
import { AccountFlag, LineFlag, type TrustLine } from '../ledger/entries.ts'
import { releaseOffer } from './crossing.ts'
import { redeemPoolShares } from './liquidity-pools.ts'
import type { Operation, Scope } from './operation.ts'
import { removeEntry } from './reserves.ts'

const Result = xdr.SetTrustLineFlagsResult
const result = (code: xdr.SetTrustLineFlagsResult) => xdr.OperationResultTr.setTrustLineFlags(code)
const Allow = xdr.AllowTrustResult
const allowed = (code: xdr.AllowTrustResult) => xdr.OperationResultTr.allowTrust(code)

/** The second name carries Horizon's spelling. */
const flagNames = [
  [LineFlag.authorized, 'authorized'],
  [LineFlag.maintain, 'authorized_to_maintain_liabilites'],
  [LineFlag.clawback, 'clawback_enabled'],
] as const

/** A line is authorised, authorised to keep what it has, or neither: never both. */
const isConsistent = (flags: number) => (flags & LineFlag.authorization) !== LineFlag.authorization

export function setTrustLineFlags(op: xdr.SetTrustLineFlagsOp): Operation {
  const asset = assetName(op.asset)
  const trustor = accountIdOf(op.trustor)
  return {
    type: 'set_trust_line_flags',
    typeNumber: 21,
    threshold: 'low',
    moves: false,
    untried: result(Result.setTrustLineFlagsSuccess()),
    affects: [trustor],
    malformed(source) {
      const { setFlags: set, clearFlags: clear } = op
      return !asset ||
        asset === 'native' ||
        splitAsset(asset).issuer !== source ||
        trustor === source ||
        set & clear ||
        set & ~LineFlag.authorization ||
        !isConsistent(set) ||
        clear & ~LineFlag.all
        ? result(Result.setTrustLineFlagsMalformed())
        : undefined
    },
    apply(scope) {
      const { state, source } = scope
      const issuer = state.account(source)
      const revokes = op.clearFlags & LineFlag.authorization && !(op.setFlags & LineFlag.authorized)
      if (revokes && !((issuer?.flags ?? 0) & AccountFlag.revocable))
        return result(Result.setTrustLineFlagsCantRevoke())
      const line = state.trustLine(trustor, asset ?? '')
      if (!line) return result(Result.setTrustLineFlagsNoTrustLine())
      const flags = (line.flags & ~op.clearFlags) | op.setFlags
      if (!isConsistent(flags)) return result(Result.setTrustLineFlagsInvalidState())
      return setFlags(scope, line, flags) === 'done'
        ? result(Result.setTrustLineFlagsSuccess())
        : result(Result.setTrustLineFlagsLowReserve())
    },
    record: () => ({
      ...assetFields(asset ?? 'native'),
      trustor,
      ...(op.setFlags && flagFields('set_flags', op.setFlags)),
      ...(op.clearFlags && flagFields('clear_flags', op.clearFlags)),
    }),
  }
}

/** An account that may no longer hold an asset loses its offers for it and leaves the pools that hold it. */
function setFlags(scope: Scope, { account, asset, flags: old }: TrustLine, flags: number) {
  const { state } = scope
  if (old & LineFlag.authorization && !(flags & LineFlag.authorization)) {
    for (const offer of state.offersOf(account)) {
      if (offer.selling !== asset && offer.buying !== asset) continue
      releaseOffer(state, offer)
      removeEntry(state, offer)
    }
    const redeemed = redeemPoolShares(scope, account, asset)
    if (redeemed !== 'done') return redeemed
  }
  const line = state.trustLine(account, asset)
  if (line) state.put({ ...line, flags })
  return 'done'
}

/** The older form of the same; still sent by some issuers. */
export function allowTrust(op: xdr.AllowTrustOp): Operation {
  const trustor = accountIdOf(op.trustor)
  const code = codeOf(op.asset)
  return {
    type: 'allow_trust',
    typeNumber: 7,
    threshold: 'low',
    moves: false,
    untried: allowed(Allow.allowTrustSuccess()),
    affects: [trustor],
    malformed: source =>
      !code || op.authorize > LineFlag.maintain || trustor === source
        ? allowed(Allow.allowTrustMalformed())
        : undefined,
    apply(scope) {
      const { state, source } = scope
      const revocable = (state.account(source)?.flags ?? 0) & AccountFlag.revocable
      if (!revocable && op.authorize === 0) return allowed(Allow.allowTrustCantRevoke())
      const line = state.trustLine(trustor, `${code}:${source}`)
      if (!line) return allowed(Allow.allowTrustNoTrustLine())
      if (!revocable && line.flags & LineFlag.authorized && op.authorize & LineFlag.maintain)
        return allowed(Allow.allowTrustCantRevoke())
      return setFlags(scope, line, (line.flags & ~LineFlag.authorization) | op.authorize) === 'done'
        ? allowed(Allow.allowTrustSuccess())
        : allowed(Allow.allowTrustLowReserve())
    },
    record: source => ({
      ...assetFields(`${code}:${accountIdOf(source)}`),
      ...accountFields('trustee', source),
      trustor,
      authorize: op.authorize === LineFlag.authorized,
      authorize_to_maintain_liabilities: op.authorize !== 0,
    }),
  }
}

function flagFields(name: string, flags: number): Record<string, unknown> {
  const chosen = flagNames.filter(([flag]) => flags & flag)
  return { [name]: chosen.map(([flag]) => flag), [`${name}_s`]: chosen.map(([, text]) => text) }
}
