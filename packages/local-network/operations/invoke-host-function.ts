import { Address, hash, MuxedAccount, nativeToScVal, scValToNative, xdr } from '@stellar/stellar-sdk'
import { publicKeyOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName, splitAsset, type AssetName } from '../ledger/assets.ts'
import { AccountFlag, baseReserve, int64Max, newAccount } from '../ledger/entries.ts'
import { instanceKeyXdr, ledgerKey } from '../ledger/entry-xdr.ts'
import type { Change, LedgerState } from '../ledger/state.ts'
import { newLine } from './change-trust.ts'
import { isIssuer, receive, spend } from './holdings.ts'
import { createEntry } from './reserves.ts'
import type { Operation } from './operation.ts'

/*
 * The contract that each classic asset has (CAP-46-6), as far as its deployment, and `transfer` and `trust` by the source
 * account need it. There are no other contracts and no further functions; events are at RPC alone.
 */

const Result = xdr.InvokeHostFunctionResult
const result = (code: xdr.InvokeHostFunctionResult) => xdr.OperationResultTr.invokeHostFunction(code)

/** The open ledger, as far as calls depend on it. */
interface OpenLedger {
  readonly protocol: number
  readonly sequence: number
}

/** The first protocol in which XLM opens accounts, and contracts open lines (CAP-73). */
const accountsSince = 26
/** The first protocol with contracts. */
export const contractsSince = 20
/** Stroops that a transfer's resources cost here: less is refused, and what is declared is charged. */
export const leastResourceFee = 50_000n
const newEntryFee = 20_000n

/** Errors of the asset's contract, as RPC names them. */
const errors = {
  negative: 'HostError: Error(Contract, #8)',
  underfunded: 'HostError: Error(Contract, #10)',
  'not-authorized': 'HostError: Error(Contract, #11)',
  full: 'HostError: Error(Contract, #12)',
  'no-trust': 'HostError: Error(Contract, #13)',
  unauthorized: 'HostError: Error(Auth, InvalidAction)',
  'no-contract': 'HostError: Error(Storage, MissingValue)',
  'no-function': 'HostError: Error(Context, MissingValue)',
  'wrong-arguments': 'HostError: Error(Value, UnexpectedType)',
  'there-already': 'HostError: Error(Storage, ExistingValue)',
  'outside-footprint': 'HostError: Error(Storage, ExceededLimit)',
} as const
type Failure = keyof typeof errors

interface Transfer {
  /** `C…`: the asset's contract. */
  readonly contract: string
  readonly from: string
  readonly to: string
  /** Number of the muxed account that is paid. */
  readonly muxedId?: string | undefined
  readonly amount: bigint
}

/** A line that an account is to have, without a limit (CAP-73). */
interface Trust {
  /** `C…`: the asset's contract. */
  readonly contract: string
  readonly trusts: string
}

/** What is to have its contract. */
interface Deployment {
  readonly deploys: AssetName
}

type Call = Transfer | Trust | Deployment

/** What a call asks for, or why it asks for nothing that this network has. */
function callIn(called: xdr.HostFunction): Call | Failure {
  if (called.type === 'hostFunctionTypeCreateContract') return deploymentIn(called.createContract)
  if (called.type !== 'hostFunctionTypeInvokeContract') return 'no-function'
  const { contractAddress, functionName, args } = called.invokeContract
  if (functionName.toString() !== 'trust') return transferIn(called)
  const [holder, ...others] = args
  if (holder?.type !== 'scvAddress' || others.length > 0) return 'wrong-arguments'
  const trusts = Address.fromScVal(holder).toString()
  if (contractAddress.type !== 'scAddressTypeContract' || !trusts.startsWith('G')) return 'wrong-arguments'
  return { contract: Address.fromScAddress(contractAddress).toString(), trusts }
}

function deploymentIn({ contractIdPreimage, executable }: xdr.CreateContractArgs): Deployment | Failure {
  const isOfAsset = contractIdPreimage.type === 'contractIdPreimageFromAsset'
  if (!isOfAsset || executable.type !== 'contractExecutableStellarAsset') return 'no-function'
  const deploys = assetName(contractIdPreimage.fromAsset)
  return deploys === undefined ? 'wrong-arguments' : { deploys }
}

/** Does what a call asks for. Without effect on the ledger where it fails: its layer is dropped. */
function perform(state: LedgerState, call: Call, { protocol, sequence }: OpenLedger): Failure | undefined {
  if ('trusts' in call) return protocol < accountsSince ? 'no-function' : trust(state, call)
  if (!('deploys' in call)) {
    if (protocol >= accountsSince && opensAccount(state, call)) state.put(newAccount(call.to, 0n, sequence))
    return transfer(state, call)
  }
  const contract = state.contractOf(call.deploys)
  if (state.assetOf(contract) !== undefined) return 'there-already'
  state.put({ kind: 'asset-contract', contract, asset: call.deploys, modified: 0 })
  return undefined
}

/** Whether XLM is for an account that the ledger does not have, and enough for its reserve. */
function opensAccount(state: LedgerState, { contract, to, amount }: Transfer): boolean {
  const isMissing = to.startsWith('G') && state.account(to) === undefined
  return isMissing && amount >= 2n * baseReserve && state.assetOf(contract) === 'native'
}

/** What is there already, and what needs no line, is left as it is. */
function trust(state: LedgerState, { contract, trusts }: Trust): Failure | undefined {
  const asset = state.assetOf(contract)
  if (asset === undefined) return 'no-contract'
  if (asset === 'native' || isIssuer(trusts, asset) || state.trustLine(trusts, asset)) return undefined
  const issuer = state.account(splitAsset(asset).issuer)
  if (!state.account(trusts) || !issuer) return 'no-trust'
  return createEntry(state, newLine(trusts, asset, issuer.flags)) === 'done' ? undefined : 'underfunded'
}

function transferIn(called: xdr.HostFunction): Transfer | Failure {
  if (called.type !== 'hostFunctionTypeInvokeContract') return 'no-function'
  const { contractAddress, functionName, args } = called.invokeContract
  if (contractAddress.type !== 'scAddressTypeContract') return 'no-contract'
  if (functionName.toString() !== 'transfer') return 'no-function'
  const [from, to, amount] = args
  const areFit = from?.type === 'scvAddress' && to?.type === 'scvAddress' && amount?.type === 'scvI128'
  if (args.length !== 3 || !areFit) return 'wrong-arguments'
  const [payer, payee] = [Address.fromScVal(from).toString(), Address.fromScVal(to).toString()]
  // A muxed account may be paid, with its number in the event (CAP-67).
  if (!/^[GC]/.test(payer) || !/^[GCM]/.test(payee)) return 'wrong-arguments'
  const muxed = payee.startsWith('M') ? MuxedAccount.fromAddress(payee, '0') : undefined
  return {
    contract: Address.fromScAddress(contractAddress).toString(),
    from: payer,
    to: muxed ? muxed.baseAccount().accountId() : payee,
    muxedId: muxed?.id(),
    amount: scValToNative(amount),
  }
}

function transfer(state: LedgerState, { contract, from, to, amount }: Transfer): Failure | undefined {
  const asset = state.assetOf(contract)
  if (asset === undefined) return 'no-contract'
  if (amount < 0n) return 'negative'
  if (amount > int64Max) return 'underfunded'
  const spent = spend(state, from, asset, amount)
  if (spent !== 'done') return spent
  const received = to.startsWith('C')
    ? receiveInContract(state, { contract, holder: to, asset, amount })
    : receive(state, to, asset, amount)
  return received === 'done' ? undefined : received
}

function receiveInContract(
  state: LedgerState,
  { contract, holder, asset, amount }: { contract: string; holder: string; asset: AssetName; amount: bigint },
): 'done' | 'full' | 'not-authorized' {
  const held = state.contractBalance(contract, holder)
  const flags = asset === 'native' ? 0 : (state.account(splitAsset(asset).issuer)?.flags ?? 0)
  if (!held && flags & AccountFlag.required) return 'not-authorized'
  const balance = (held?.balance ?? 0n) + amount
  if (balance > int64Max) return 'full'
  const clawback = held?.clawback ?? (flags & AccountFlag.clawback) !== 0
  state.put({ kind: 'contract-balance', contract, holder, asset, balance, clawback, modified: 0 })
  return 'done'
}

/** The authorization that the source account gives by signing the transaction. */
const bySource = (call: xdr.InvokeContractArgs): xdr.SorobanAuthorizationEntry =>
  new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
      subInvocations: [],
    }),
  })

/** Only the source account's own authorization counts: there are no others on this network. */
function isAuthorized({ hostFunction, auth }: xdr.InvokeHostFunctionOp, call: Call, source: string): boolean {
  // Anyone may deploy the contract of an asset.
  if ('deploys' in call) return true
  const from = 'trusts' in call ? call.trusts : call.from
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract' || from !== source) return false
  const wanted = bySource(hostFunction.invokeContract).rootInvocation.function.toXdr('base64')
  return auth.some(
    ({ credentials, rootInvocation }) =>
      credentials.type === 'sorobanCredentialsSourceAccount' &&
      rootInvocation.function.toXdr('base64') === wanted,
  )
}

function covers({ readOnly, readWrite }: xdr.LedgerFootprint, call: Call, changes: readonly Change[]) {
  const writable = new Set(readWrite.map(key => key.toXdr('base64')))
  const readable = new Set([...writable, ...readOnly.map(key => key.toXdr('base64'))])
  return (
    ('deploys' in call || readable.has(instanceKeyXdr(call.contract).toXdr('base64'))) &&
    changes.every(({ before, after }) => {
      const entry = after ?? before
      return entry === undefined || writable.has(ledgerKey(entry).toXdr('base64'))
    })
  )
}

const succeededWith = (returnValue: xdr.ScVal) =>
  result(
    Result.invokeHostFunctionSuccess(
      hash(new xdr.InvokeHostFunctionSuccessPreImage({ returnValue, events: [] }).toXdr()),
    ),
  )
const succeeded = succeededWith(xdr.ScVal.scvVoid())

export function invokeHostFunction(op: xdr.InvokeHostFunctionOp): Operation {
  const call = callIn(op.hostFunction)
  const moved = typeof call !== 'string' && 'from' in call ? call : undefined
  return {
    type: 'invoke_host_function',
    typeNumber: 24,
    threshold: 'medium',
    moves: moved !== undefined,
    since: contractsSince,
    untried: succeeded,
    affects: accountsOf(call).filter(each => each.startsWith('G')),
    malformed: () => undefined,
    apply({ state, source, ledger, transaction: { footprint } }) {
      const trapped = result(Result.invokeHostFunctionTrapped())
      if (typeof call === 'string' || !footprint || !isAuthorized(op, call, source)) return trapped
      if (perform(state, call, ledger) !== undefined) return trapped
      if (!covers(footprint, call, state.changes())) return trapped
      if (!('deploys' in call)) return succeeded
      return succeededWith(nativeToScVal(state.contractOf(call.deploys), { type: 'address' }))
    },
    record: (_source, { changes }) => ({
      function: functions[op.hostFunction.type],
      parameters: parametersOf(op.hostFunction),
      address: '',
      salt: '',
      asset_balance_changes: moved ? balanceChanges(moved, changes) : [],
    }),
  }
}

function accountsOf(call: Call | Failure): string[] {
  if (typeof call === 'string' || 'deploys' in call) return []
  return 'trusts' in call ? [call.trusts] : [call.from, call.to]
}

const functions: Readonly<Record<xdr.HostFunction['type'], string>> = {
  hostFunctionTypeInvokeContract: 'HostFunctionTypeHostFunctionTypeInvokeContract',
  hostFunctionTypeCreateContract: 'HostFunctionTypeHostFunctionTypeCreateContract',
  hostFunctionTypeUploadContractWasm: 'HostFunctionTypeHostFunctionTypeUploadContractWasm',
  hostFunctionTypeCreateContractV2: 'HostFunctionTypeHostFunctionTypeCreateContractV2',
}

function parametersOf(called: xdr.HostFunction): { value: string; type: string }[] {
  if (called.type !== 'hostFunctionTypeInvokeContract') return []
  const { contractAddress, functionName, args } = called.invokeContract
  const all = [xdr.ScVal.scvAddress(contractAddress), xdr.ScVal.scvSymbol(functionName), ...args]
  // Horizon writes the name of the type without its prefix, and a symbol's as Sym.
  return all.map(value => ({
    value: value.toXdr('base64'),
    type: value.type.slice('scv'.length).replace(/^Symbol$/, 'Sym'),
  }))
}

/** As Horizon reads it from the contract's events: what an issuer gives is minted, what it gets back is burned. */
function balanceChanges({ from, to, muxedId, amount }: Transfer, changes: readonly Change[]): object[] {
  const asset = assetIn(changes)
  if (asset === undefined) return []
  const [minted, burned] = [isIssuer(from, asset), isIssuer(to, asset)]
  return [
    {
      ...assetFields(asset),
      type: minted ? 'mint' : burned ? 'burn' : 'transfer',
      ...(!minted && { from }),
      ...((minted || !burned) && { to }),
      ...(muxedId !== undefined && !burned && { destination_muxed_id: muxedId }),
      amount: amountText(amount),
    },
  ]
}

function assetIn(changes: readonly Change[]): AssetName | undefined {
  for (const { before, after } of changes) {
    const entry = after ?? before
    if (entry?.kind === 'contract-balance' || entry?.kind === 'trustline') return entry.asset
  }
  return changes.length > 0 ? 'native' : undefined
}

/** What a call needs to be applied, as RPC simulates it; an authorization that it lacks is recorded. */
export function simulate(
  state: LedgerState,
  op: xdr.InvokeHostFunctionOp,
  source: string,
  ledger: OpenLedger,
): { error: string } | { auth: xdr.SorobanAuthorizationEntry[]; data: xdr.SorobanTransactionData } {
  const { hostFunction } = op
  const call = callIn(hostFunction)
  if (typeof call === 'string') return { error: errors[call] }
  const invoked = hostFunction.type === 'hostFunctionTypeInvokeContract' ? hostFunction.invokeContract : null
  const by = 'deploys' in call ? undefined : 'trusts' in call ? call.trusts : call.from
  const isOwn = invoked !== null && by === source
  const recorded = op.auth.length === 0 && isOwn ? [bySource(invoked)] : op.auth
  const authorized = new xdr.InvokeHostFunctionOp({ hostFunction, auth: recorded })
  if (!isAuthorized(authorized, call, source)) return { error: errors.unauthorized }
  const layer = state.layer()
  const failure = perform(layer, call, ledger)
  if (failure !== undefined) return { error: errors[failure] }
  const changes = layer.changes()
  const created = changes.filter(({ before }) => before === undefined).length
  const resourceFee = leastResourceFee + newEntryFee * BigInt(created)
  return { auth: recorded, data: resourcesOf(call, changes, resourceFee) }
}

function resourcesOf(
  call: Call,
  changes: readonly Change[],
  resourceFee: bigint,
): xdr.SorobanTransactionData {
  const entries = changes.flatMap(({ before, after }) => after ?? before ?? [])
  const asset = assetIn(changes)
  const issuer = asset === undefined || asset === 'native' ? [] : [accountKeyXdr(splitAsset(asset).issuer)]
  return new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({
        readOnly: [...('deploys' in call ? [] : [instanceKeyXdr(call.contract)]), ...issuer],
        readWrite: entries.map(ledgerKey),
      }),
      instructions: 300_000,
      diskReadBytes: 500,
      writeBytes: 500,
    }),
    resourceFee,
  })
}

const accountKeyXdr = (id: string) =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: publicKeyOf(id) }))
