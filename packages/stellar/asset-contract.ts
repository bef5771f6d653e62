import {
  Address,
  Asset,
  nativeToScVal,
  Operation,
  scValToNative,
  xdr,
  type OperationRecord,
} from '@stellar/stellar-sdk/base'

/*
 * Contract accounts (`C…`) have no trustlines: each asset has a contract that keeps what they hold (CAP-46-6), and its
 * `transfer` (SEP-41) pays them.
 */

/** The most that a transfer's resources may cost, in stroops: many times what the rent of a new balance comes to. */
export const MAX_RESOURCE_FEE = 10_000_000n

export interface ContractTransfer {
  /** `C…`: the asset's contract. */
  contract: string
  /** `G…` or `C…` */
  from: string
  to: string
  /** Stroops. */
  amount: bigint
}

/** A call of `transfer` that `from` authorizes as the source of the operation, and of nothing else. */
export function transferOperation(
  { contract, from, to, amount }: ContractTransfer,
  source?: string,
): xdr.Operation {
  const call = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName: 'transfer',
    args: [
      nativeToScVal(from, { type: 'address' }),
      nativeToScVal(to, { type: 'address' }),
      nativeToScVal(amount, { type: 'i128' }),
    ],
  })
  return Operation.invokeHostFunction({
    func: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
    auth: [authorizationOf(call)],
    ...(source === undefined ? {} : { source }),
  })
}

const authorizationOf = (call: xdr.InvokeContractArgs): xdr.SorobanAuthorizationEntry =>
  new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
      subInvocations: [],
    }),
  })

/** Deploys the contract of an asset, which anyone may. */
export const deployOperation = (asset: Asset, source?: string): xdr.Operation =>
  Operation.createStellarAssetContract({ asset, ...(source === undefined ? {} : { source }) })

/** The asset whose contract an operation deploys, without any authorization; null: it does something else. */
export function readDeployment(operation: OperationRecord): Asset | null {
  if (operation.type !== 'invokeHostFunction' || (operation.auth ?? []).length > 0) return null
  const { func } = operation
  if (func.type !== 'hostFunctionTypeCreateContract') return null
  const { contractIdPreimage, executable } = func.createContract
  const isOfAsset =
    contractIdPreimage.type === 'contractIdPreimageFromAsset' &&
    executable.type === 'contractExecutableStellarAsset'
  return isOfAsset ? Asset.fromOperation(contractIdPreimage.fromAsset) : null
}

/** What an operation transfers by calling a contract's `transfer`; null: it does something else. */
export function readTransfer(operation: OperationRecord): ContractTransfer | null {
  const call = callIn(operation)
  if (!call || call.functionName.toString() !== 'transfer' || call.args.length !== 3) return null
  const [from, to, amount] = call.args
  if (from?.type !== 'scvAddress' || to?.type !== 'scvAddress' || amount?.type !== 'scvI128') return null
  return {
    contract: Address.fromScAddress(call.contractAddress).toString(),
    from: Address.fromScVal(from).toString(),
    to: Address.fromScVal(to).toString(),
    amount: scValToNative(amount),
  }
}

/** Whether the operation authorizes its own call and nothing else: no further call, and for nobody but its source. */
export function authorizesItselfAlone(operation: OperationRecord): boolean {
  const call = callIn(operation)
  if (operation.type !== 'invokeHostFunction' || !call) return false
  const [entry, ...others] = operation.auth ?? []
  return others.length === 0 && entry?.toXdr('base64') === authorizationOf(call).toXdr('base64')
}

function callIn(operation: OperationRecord): xdr.InvokeContractArgs | null {
  if (operation.type !== 'invokeHostFunction') return null
  const { func } = operation
  return func.type === 'hostFunctionTypeInvokeContract' ? func.invokeContract : null
}
