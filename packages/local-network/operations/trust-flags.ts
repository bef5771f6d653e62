import { xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { assetCode, assetFields, assetName, splitAsset } from '../ledger/assets.ts'
import { AccountFlag, LineFlag } from '../ledger/entries.ts'
import type { Operation } from './operation.ts'

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
    apply({ state, source }) {
      const issuer = state.account(source)
      const revokes = op.clearFlags & LineFlag.authorization && !(op.setFlags & LineFlag.authorized)
      if (revokes && !((issuer?.flags ?? 0) & AccountFlag.revocable))
        return result(Result.setTrustLineFlagsCantRevoke())
      const line = state.trustLine(trustor, asset ?? '')
      if (!line) return result(Result.setTrustLineFlagsNoTrustLine())
      const flags = (line.flags & ~op.clearFlags) | op.setFlags
      if (!isConsistent(flags)) return result(Result.setTrustLineFlagsInvalidState())
      state.put({ ...line, flags })
      return result(Result.setTrustLineFlagsSuccess())
    },
    record: () => ({
      ...assetFields(asset ?? 'native'),
      trustor,
      ...(op.setFlags && flagFields('set_flags', op.setFlags)),
      ...(op.clearFlags && flagFields('clear_flags', op.clearFlags)),
    }),
  }
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
    apply({ state, source }) {
      const revocable = (state.account(source)?.flags ?? 0) & AccountFlag.revocable
      if (!revocable && op.authorize === 0) return allowed(Allow.allowTrustCantRevoke())
      const line = state.trustLine(trustor, `${code}:${source}`)
      if (!line) return allowed(Allow.allowTrustNoTrustLine())
      if (!revocable && line.flags & LineFlag.authorized && op.authorize & LineFlag.maintain)
        return allowed(Allow.allowTrustCantRevoke())
      state.put({ ...line, flags: (line.flags & ~LineFlag.authorization) | op.authorize })
      return allowed(Allow.allowTrustSuccess())
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

function codeOf(asset: xdr.AssetCode): string | undefined {
  if (asset.type === 'assetTypeCreditAlphanum4') return assetCode(asset.assetCode4.value)
  const code = assetCode(asset.assetCode12.value)
  return code && code.length > 4 ? code : undefined
}

function flagFields(name: string, flags: number): Record<string, unknown> {
  const chosen = flagNames.filter(([flag]) => flags & flag)
  return { [name]: chosen.map(([flag]) => flag), [`${name}_s`]: chosen.map(([, text]) => text) }
}
