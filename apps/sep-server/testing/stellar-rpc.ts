import {
  Address,
  buildAuthorizationEntryPreimage,
  hash,
  Keypair,
  scValToNative,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base'
import { credentialsOf } from '@windlass/stellar/sep45-challenge.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What an RPC does wrong. */
export type Lie =
  | 'approves-everything'
  | 'uses-up-no-nonce'
  | 'asks-for-a-restore'
  | 'answers-another-request'
  | 'answers-500'
  | 'answers-html'
  | 'answers-without-end'
  | 'has-no-transaction-data'
  | 'has-broken-transaction-data'

export interface FakeRpc {
  url: string
  latest: number
  lie: Lie | null
  /** Contract accounts (`C…`) and the key that each accepts. */
  accounts: Map<string, Keypair>
  /** Contract accounts whose check needs the authorization of another account (`G…`). */
  guardians: Map<string, string>
  close(): Promise<void>
}

/**
 * A Stellar RPC for SEP-45: enforces the authorization entries of a `web_auth_verify` as the web authentication contract
 * does, for contract accounts with one Ed25519 key.
 *
 * @param assets the RPC that answers for calls of other contracts; by default there are none
 */
export async function startFakeRpc(contract: string, passphrase: string, assets?: string): Promise<FakeRpc> {
  const rpc: FakeRpc = {
    url: '',
    latest: 1_000,
    lie: null,
    accounts: new Map(),
    guardians: new Map(),
    close: async () => undefined,
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body)
      if (rpc.lie === 'answers-500') return response.writeHead(500).end('{}')
      if (rpc.lie === 'answers-html') return response.end('<h1>It works</h1>')
      if (rpc.lie === 'answers-without-end') return response.end(`"${'x'.repeat(2 * 1024 * 1024)}`)
      if (assets && method === 'simulateTransaction' && calledIn(params.transaction, passphrase) !== contract)
        return void pass(assets, body).then(answer => response.end(answer))
      const result =
        method === 'getLatestLedger'
          ? { sequence: rpc.latest, protocolVersion: 23, id: '0'.repeat(64) }
          : simulated(rpc, params.transaction, contract, passphrase)
      const answered = rpc.lie === 'answers-another-request' ? id + 1 : id
      response.end(JSON.stringify({ jsonrpc: '2.0', id: answered, result }))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  rpc.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rpc.close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return rpc
}

async function pass(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}

/** The contract that a transaction calls. */
function calledIn(envelope: string, passphrase: string): string | null {
  const transaction = TransactionBuilder.fromXdr(envelope, passphrase)
  const operation = 'operations' in transaction ? transaction.operations[0] : undefined
  if (operation?.type !== 'invokeHostFunction') return null
  const { func } = operation
  if (func.type !== 'hostFunctionTypeInvokeContract') return null
  return Address.fromScAddress(func.invokeContract.contractAddress).toString()
}

function simulated(rpc: FakeRpc, envelope: string, contract: string, passphrase: string): object {
  const { latest: latestLedger, lie } = rpc
  const transaction = TransactionBuilder.fromXdr(envelope, passphrase)
  const operation = 'operations' in transaction ? transaction.operations[0] : undefined
  if (operation?.type !== 'invokeHostFunction') throw new Error('not a call of a contract')
  const auth = operation.auth ?? []
  const error =
    lie === 'approves-everything' || lie === 'uses-up-no-nonce'
      ? null
      : refusal(rpc, operation.func, auth, contract, passphrase)
  if (error) return { error: `HostError: Error(Auth, InvalidAction): ${error}`, events: [], latestLedger }
  return {
    latestLedger,
    minResourceFee: '90353',
    events: [],
    ...(lie === 'has-no-transaction-data'
      ? {}
      : {
          transactionData:
            lie === 'has-broken-transaction-data'
              ? 'AAAA'
              : transactionData(lie === 'uses-up-no-nonce' ? [] : auth),
        }),
    ...(lie === 'asks-for-a-restore'
      ? { restorePreamble: { minResourceFee: '1', transactionData: '' } }
      : {}),
    results: [{ auth: [], xdr: xdr.ScVal.scvVoid().toXdr('base64') }],
  }
}

/** Why the ledger would refuse the call; null: it would not. */
function refusal(
  rpc: FakeRpc,
  func: xdr.HostFunction,
  auth: readonly xdr.SorobanAuthorizationEntry[],
  contract: string,
  passphrase: string,
): string | null {
  if (func.type !== 'hostFunctionTypeInvokeContract') return 'no call'
  const { contractAddress, functionName, args } = func.invokeContract
  if (Address.fromScAddress(contractAddress).toString() !== contract) return 'no such contract'
  if (functionName.toString() !== 'web_auth_verify' || !args[0]) return 'no such function'
  const values = scValToNative(args[0]) as Record<string, string>
  const guardian = rpc.guardians.get(values.account ?? '')
  const demanded = [values.account, values.web_auth_domain_account, values.client_domain_account, guardian]
  for (const address of demanded.filter(each => each !== undefined)) {
    const entry = auth.find(each => Address.fromScAddress(credentialsOf(each).address).toString() === address)
    if (!entry || !isAuthorized(rpc, entry, address, passphrase)) return `${address} did not authorize it`
  }
  return null
}

function isAuthorized(
  rpc: FakeRpc,
  entry: xdr.SorobanAuthorizationEntry,
  address: string,
  passphrase: string,
) {
  const { signatureExpirationLedger: until, signature } = credentialsOf(entry)
  if (until < rpc.latest || signature.type === 'scvVoid') return false
  const [given] = scValToNative(signature) as { signature: Uint8Array }[]
  const key = address.startsWith('C') ? rpc.accounts.get(address) : Keypair.fromPublicKey(address)
  const payload = hash(buildAuthorizationEntryPreimage(entry, until, passphrase).toXdr())
  return given !== undefined && key !== undefined && key.verify(payload, given.signature)
}

function transactionData(auth: readonly xdr.SorobanAuthorizationEntry[]): string {
  const readWrite = auth.map(entry => {
    const { address, nonce } = credentialsOf(entry)
    return xdr.LedgerKey.contractData(
      new xdr.LedgerKeyContractData({
        contract: address,
        key: xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce })),
        durability: xdr.ContractDataDurability.temporary,
      }),
    )
  })
  return new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite }),
      instructions: 1,
      diskReadBytes: 0,
      writeBytes: 0,
    }),
    resourceFee: 1n,
  }).toXdr('base64')
}
