import { SignerKey, StrKey } from '@stellar/stellar-sdk'
import type { FastifyRequest } from 'fastify'
import { stroopsOf } from '../ledger/amounts.ts'
import { badRequest } from './problems.ts'

/** A parameter of the query, empty when absent; given twice, it is an error. */
export function queryValue(request: FastifyRequest, name: string): string {
  return value(request.query, name)
}

/** A parameter of the path. */
export function pathValue(request: FastifyRequest, name: string): string {
  return value(request.params, name)
}

/** A field of a form body. */
export function formValue(request: FastifyRequest, name: string): string {
  return value(request.body, name)
}

function value(from: unknown, name: string): string {
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return ''
  const found: unknown = Reflect.get(from, name)
  if (typeof found === 'string') return found
  throw badRequest(name, `${name}: given more than once`)
}

const accountReason = 'Account ID must start with `G` and contain 56 alphanum characters'

/** An account id from the path. A muxed address names the account it belongs to. */
export function accountParameter(request: FastifyRequest): string {
  const address = pathValue(request, 'account')
  if (!StrKey.isValidEd25519PublicKey(address)) throw badRequest('account_id', accountReason)
  return address
}

export function ledgerParameter(request: FastifyRequest): number {
  const sequence = pathValue(request, 'ledger')
  if (!/^\d{1,10}$/.test(sequence) || Number(sequence) > 2 ** 31 - 1)
    throw badRequest('ledger_id', 'Ledger ID must be a number of 32 bits')
  return Number(sequence)
}

export function hashParameter(request: FastifyRequest): Buffer {
  const hash = pathValue(request, 'hash')
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw badRequest('tx_id', 'Transaction hash must be a hex-encoded, lowercase SHA-256 hash')
  return Buffer.from(hash, 'hex')
}

export function operationParameter(request: FastifyRequest): bigint {
  const id = pathValue(request, 'id')
  if (!/^\d{1,18}$/.test(id)) throw badRequest('id', 'Operation ID must be a number of 64 bits')
  return BigInt(id)
}

/** A claimable balance's id from the path, in hex or as a StrKey (B…, SEP-23). */
export function balanceParameter(request: FastifyRequest): string {
  const id = pathValue(request, 'balance')
  if (/^00000000[0-9a-fA-F]{64}$/.test(id)) return id.toLowerCase()
  if (StrKey.isValidClaimableBalance(id))
    return `00000000${Buffer.from(StrKey.decodeClaimableBalance(id)).subarray(1).toString('hex')}`
  throw badRequest('id', 'id: not a claimable balance id')
}

/** `native` or `CODE:ISSUER` from the query; empty when absent. */
export function assetParameter(request: FastifyRequest): string {
  const asset = queryValue(request, 'asset')
  if (asset === '' || asset === 'native') return asset
  const [code = '', issuer = '', ...rest] = asset.split(':')
  if (rest.length > 0 || !/^[A-Za-z0-9]{1,12}$/.test(code) || !StrKey.isValidEd25519PublicKey(issuer))
    throw badRequest('asset', 'asset: must be native or CODE:ISSUER')
  return asset
}

/** An account id from the query; empty when absent. */
export function addressParameter(request: FastifyRequest, name: string): string {
  const address = queryValue(request, name)
  if (address !== '' && !StrKey.isValidEd25519PublicKey(address)) throw badRequest(name, accountReason)
  return address
}

/** A signer (G…, T…, X… or P…) from the query; empty when absent. */
export function signerParameter(request: FastifyRequest): string {
  const signer = queryValue(request, 'signer')
  if (signer === '') return signer
  try {
    SignerKey.decodeAddress(signer)
    return signer
  } catch {
    throw badRequest('signer', 'signer: not a key, a hash or a pre-authorised transaction')
  }
}

/** The id of a liquidity pool from the query; empty when absent. */
export function poolParameter(request: FastifyRequest, name: string): string {
  const id = queryValue(request, name)
  if (id !== '' && !/^[0-9a-f]{64}$/.test(id)) throw badRequest(name, `${id} does not validate as sha256`)
  return id
}

/** The id of a liquidity pool from the path. */
export function poolPathParameter(request: FastifyRequest): string {
  const id = pathValue(request, 'pool')
  if (!/^[0-9a-f]{64}$/.test(id)) throw badRequest('liquidity_pool_id', `${id} does not validate as sha256`)
  return id
}

const missing = 'Missing required field'

export function isAsset(text: string): boolean {
  const [code = '', issuer = '', ...rest] = text.split(':')
  return (
    text === 'native' ||
    (rest.length === 0 && /^[A-Za-z0-9]{1,12}$/.test(code) && StrKey.isValidEd25519PublicKey(issuer))
  )
}

/** An asset in three parameters with a common prefix; undefined when they name none. */
export function assetInParts(request: FastifyRequest, prefix: string): string | undefined {
  const type = queryValue(request, `${prefix}asset_type`)
  if (type === 'native') return type
  const asset = `${queryValue(request, `${prefix}asset_code`)}:${queryValue(request, `${prefix}asset_issuer`)}`
  const length = asset.indexOf(':')
  if (type !== (length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12')) return undefined
  return isAsset(asset) ? asset : undefined
}

/** @throws HorizonProblem when the parameters name no asset */
export function requiredAsset(request: FastifyRequest, prefix: string): string {
  const field = `${prefix}asset_type`
  if (queryValue(request, field) === '') throw badRequest(field, missing)
  const asset = assetInParts(request, prefix)
  if (!asset) throw badRequest(field, 'the parameters name no asset')
  return asset
}

/** An asset in canonical form under its name, or in three parameters; undefined where neither is given. */
export function optionalAsset(request: FastifyRequest, name: string): string | undefined {
  const canonical = queryValue(request, name)
  if (canonical !== '') {
    if (!isAsset(canonical))
      throw badRequest(
        name,
        'Asset must be the string "native" or a string of the form "Code:IssuerAccountID" for issued assets.',
      )
    return canonical
  }
  return queryValue(request, `${name}_asset_type`) === '' ? undefined : requiredAsset(request, `${name}_`)
}

/** An amount in stroops. */
export function requiredAmount(request: FastifyRequest, field: string): bigint {
  const amount = queryValue(request, field)
  if (amount === '') throw badRequest(field, missing)
  if (!/^\d{1,12}(\.\d{1,7})?$/.test(amount)) throw badRequest(field, 'Amount must be a decimal number')
  const stroops = stroopsOf(amount)
  if (stroops === 0n) throw badRequest(field, 'Amount must be positive')
  return stroops
}

export function flagParameter(request: FastifyRequest, name: string): boolean {
  const given = queryValue(request, name)
  if (given !== '' && given !== 'true' && given !== 'false')
    throw badRequest(name, `${name}: must be true or false`)
  return given === 'true'
}

/** Where the client reaches this network, for the links in an answer. */
export function baseUrl(request: FastifyRequest): string {
  const host = request.headers.host ?? ''
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost'
}
