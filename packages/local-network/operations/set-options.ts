import { SignerKey, xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { AccountFlag, type Account, type Signer } from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'
import type { Operation, OperationOutcome } from './operation.ts'
import { isPlainText } from './plain-text.ts'
import { putSigners, releaseSigner, reserveSigner } from './reserves.ts'

const Result = xdr.SetOptionsResult
const result = (code: xdr.SetOptionsResult) => xdr.OperationResultTr.setOptions(code)

const signerLimit = 20
const flagNames = [
  [AccountFlag.required, 'auth_required'],
  [AccountFlag.revocable, 'auth_revocable'],
  [AccountFlag.immutable, 'auth_immutable'],
  [AccountFlag.clawback, 'auth_clawback_enabled'],
] as const

export function setOptions(op: xdr.SetOptionsOp): Operation {
  const weights = [op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold]
  const authorizes = weights.some(weight => weight !== null) || op.signer !== null
  return {
    type: 'set_options',
    typeNumber: 5,
    threshold: authorizes ? 'high' : 'medium',
    moves: false,
    untried: result(Result.setOptionsSuccess()),
    affects: [],
    malformed(source) {
      const set = op.setFlags ?? 0
      const clear = op.clearFlags ?? 0
      if ((set | clear) & ~AccountFlag.all) return result(Result.setOptionsUnknownFlag())
      if (set & clear) return result(Result.setOptionsBadFlags())
      if (weights.some(weight => weight !== null && weight > 255))
        return result(Result.setOptionsThresholdOutOfRange())
      if (op.signer && isBadSigner(op.signer, source)) return result(Result.setOptionsBadSigner())
      if (op.homeDomain && !isPlainText(op.homeDomain.bytes))
        return result(Result.setOptionsInvalidHomeDomain())
      return undefined
    },
    apply: ({ state, source }) => apply(op, state, source),
    record: () => ({
      ...(op.homeDomain && { home_domain: op.homeDomain.toString() }),
      ...(op.inflationDest && { inflation_dest: accountIdOf(op.inflationDest) }),
      ...(op.masterWeight !== null && { master_key_weight: op.masterWeight }),
      ...(op.lowThreshold !== null && { low_threshold: op.lowThreshold }),
      ...(op.medThreshold !== null && { med_threshold: op.medThreshold }),
      ...(op.highThreshold !== null && { high_threshold: op.highThreshold }),
      ...(op.signer && {
        signer_key: SignerKey.encodeSignerKey(op.signer.key),
        signer_weight: op.signer.weight,
      }),
      ...(op.setFlags && flagFields('set_flags', op.setFlags)),
      ...(op.clearFlags && flagFields('clear_flags', op.clearFlags)),
    }),
  }
}

function isBadSigner({ key, weight }: xdr.Signer, source: string): boolean {
  if (weight > 255) return true
  if (key.type === 'signerKeyTypeEd25519SignedPayload') return key.ed25519SignedPayload.payload.length === 0
  return SignerKey.encodeSignerKey(key) === source
}

function apply(op: xdr.SetOptionsOp, state: LedgerState, source: string): OperationOutcome {
  const account = state.account(source)
  if (!account) throw new Error('an operation is only applied on a source account that exists')
  const inflationDestination = op.inflationDest ? accountIdOf(op.inflationDest) : null
  if (inflationDestination && !state.account(inflationDestination))
    return result(Result.setOptionsInvalidInflation())

  if ((op.clearFlags || op.setFlags) && account.flags & AccountFlag.immutable)
    return result(Result.setOptionsCantChange())
  const flags = (account.flags & ~(op.clearFlags ?? 0)) | (op.setFlags ?? 0)
  if (flags & AccountFlag.clawback && !(flags & AccountFlag.revocable))
    return result(Result.setOptionsAuthRevocableRequired())

  const { master, low, medium, high } = account.thresholds
  state.put({
    ...account,
    flags,
    homeDomain: op.homeDomain?.toString() ?? account.homeDomain,
    inflationDestination: inflationDestination ?? account.inflationDestination,
    thresholds: {
      master: op.masterWeight ?? master,
      low: op.lowThreshold ?? low,
      medium: op.medThreshold ?? medium,
      high: op.highThreshold ?? high,
    },
  })
  return op.signer ? setSigner(op.signer, state, account) : result(Result.setOptionsSuccess())
}

function setSigner(signer: xdr.Signer, state: LedgerState, account: Account): OperationOutcome {
  const key = SignerKey.encodeSignerKey(signer.key)
  const known = account.signers.find(other => other.key === key)
  const others = account.signers.filter(other => other.key !== key)
  if (signer.weight === 0) {
    if (!known) return result(Result.setOptionsSuccess())
    releaseSigner(state, account.id, known)
    putSigners(state, account.id, others)
    return result(Result.setOptionsSuccess())
  }
  if (known) {
    putSigners(state, account.id, inKeyOrder([...others, { ...known, weight: signer.weight }]))
    return result(Result.setOptionsSuccess())
  }
  if (others.length >= signerLimit) return result(Result.setOptionsTooManySigners())
  const { outcome, ...sponsor } = reserveSigner(state, account.id)
  if (outcome === 'too-many') return 'opTooManySubentries'
  if (outcome === 'low-reserve') return result(Result.setOptionsLowReserve())
  putSigners(state, account.id, inKeyOrder([...others, { key, weight: signer.weight, ...sponsor }]))
  return result(Result.setOptionsSuccess())
}

function inKeyOrder(signers: Signer[]): Signer[] {
  const bytes = (signer: Signer) => SignerKey.decodeAddress(signer.key).toXdr()
  return signers.sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
}

function flagFields(name: string, flags: number): Record<string, unknown> {
  const chosen = flagNames.filter(([flag]) => flags & flag)
  return { [name]: chosen.map(([flag]) => flag), [`${name}_s`]: chosen.map(([, text]) => text) }
}
