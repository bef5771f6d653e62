import { xdr } from '@stellar/stellar-sdk'
import { accountFields } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import {
  assetFields,
  assetName,
  compareAssets,
  poolFee,
  poolIdOf,
  splitAsset,
  type AssetName,
} from '../ledger/assets.ts'
import {
  AccountFlag,
  int64Max,
  isPoolId,
  LineFlag,
  type LiquidityPool,
  type TrustLine,
} from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'
import { joinPool, leavePool } from './liquidity-pools.ts'
import type { Operation, OperationOutcome } from './operation.ts'
import { createEntry, removeEntry } from './reserves.ts'

const Result = xdr.ChangeTrustResult
const result = (code: xdr.ChangeTrustResult) => xdr.OperationResultTr.changeTrust(code)

type Pool = Pick<LiquidityPool, 'id' | 'assetA' | 'assetB'>

export function changeTrust(op: xdr.ChangeTrustOp): Operation {
  const pool = op.line.type === 'assetTypePoolShare' ? poolIn(op.line.liquidityPool) : undefined
  const asset = pool?.id ?? assetName(op.line)
  const issuer = pool ? '' : splitAsset(asset ?? '').issuer
  return {
    type: 'change_trust',
    typeNumber: 6,
    threshold: 'medium',
    moves: false,
    untried: result(Result.changeTrustSuccess()),
    affects: [],
    malformed: source =>
      !asset || asset === 'native' || op.limit < 0n || issuer === source
        ? result(Result.changeTrustMalformed())
        : undefined,
    apply({ state, source }) {
      if (!asset) return result(Result.changeTrustMalformed())
      const line = state.trustLine(source, asset)
      if (!line) return addLine(state, source, asset, pool, op.limit)
      if (op.limit < line.balance + line.buying) return result(Result.changeTrustInvalidLimit())
      if (op.limit === 0n) return deleteLine(state, line)
      if (!pool && !state.account(issuer)) return result(Result.changeTrustNoIssuer())
      state.put({ ...line, limit: op.limit })
      return result(Result.changeTrustSuccess())
    },
    record: source => ({
      ...assetFields(asset ?? 'native'),
      limit: amountText(op.limit),
      ...(!pool && { trustee: issuer }),
      ...accountFields('trustor', source),
    }),
  }
}

/** The pool of two different assets in their order; undefined for any other parameters. */
function poolIn({ constantProduct }: xdr.LiquidityPoolParameters): Pool | undefined {
  const [assetA, assetB] = [assetName(constantProduct.assetA), assetName(constantProduct.assetB)]
  if (!assetA || !assetB || constantProduct.fee !== poolFee || compareAssets(assetA, assetB) >= 0)
    return undefined
  return { id: poolIdOf(assetA, assetB), assetA, assetB }
}

function deleteLine(state: LedgerState, line: TrustLine): OperationOutcome {
  if (line.pools > 0) return result(Result.changeTrustCannotDelete())
  removeEntry(state, line)
  if (isPoolId(line.asset)) leavePool(state, line.account, line.asset)
  return result(Result.changeTrustSuccess())
}

function addLine(
  state: LedgerState,
  account: string,
  asset: AssetName,
  pool: Pool | undefined,
  limit: bigint,
): OperationOutcome {
  if (limit === 0n) return result(Result.changeTrustInvalidLimit())
  const issuing = pool ? undefined : state.account(splitAsset(asset).issuer)
  if (!pool && !issuing) return result(Result.changeTrustNoIssuer())
  const joined = pool ? joinPool(state, account, pool) : 'done'
  if (joined === 'no-line') return result(Result.changeTrustTrustLineMissing())
  if (joined === 'not-authorized') return result(Result.changeTrustNotAuthMaintainLiabilities())
  const line = newLine(account, asset, issuing?.flags)
  const reserved = createEntry(state, { ...line, limit })
  if (reserved === 'too-many') return 'opTooManySubentries'
  return reserved === 'low-reserve'
    ? result(Result.changeTrustLowReserve())
    : result(Result.changeTrustSuccess())
}

/** An empty line without a limit; of a pool, without the issuer's flags. */
export const newLine = (account: string, asset: AssetName, issuer?: number): TrustLine => ({
  ...{ kind: 'trustline', account, asset, balance: 0n, buying: 0n, selling: 0n, limit: int64Max },
  ...{ flags: issuer === undefined ? 0 : flagsFrom(issuer), pools: 0, sponsor: null, modified: 0 },
})

/** The flags of a new line, from those of its issuer. */
function flagsFrom(issuer: number): number {
  return (
    (issuer & AccountFlag.required ? 0 : LineFlag.authorized) |
    (issuer & AccountFlag.clawback ? LineFlag.clawback : 0)
  )
}
