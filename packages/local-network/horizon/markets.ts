import { StrKey } from '@stellar/stellar-sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assetFields } from '../ledger/assets.ts'
import { serveCollection } from './collections.ts'
import type { Instance } from './instance.ts'
import { badRequest, HorizonProblem, notFound } from './problems.ts'
import { addressParameter, baseUrl, pathValue, queryValue } from './requests.ts'

const missing = 'Missing required field'
const resolutions = ['60000', '300000', '900000', '3600000', '86400000', '604800000']

/**
 * Offers, order books, paths and pools: the ledger has none, so each answers as an empty market does, and refuses
 * the requests that Horizon refuses.
 */
export function marketRoutes(app: FastifyInstance, instance: Instance): void {
  serveCollection(app, instance, '/offers', request => {
    addressParameter(request, 'seller')
    addressParameter(request, 'sponsor')
    return () => []
  })
  serveCollection(app, instance, '/accounts/:account/offers', () => () => [])
  app.get('/offers/:offer', request => {
    if (!/^[1-9]\d{0,18}$/.test(pathValue(request, 'offer')))
      throw badRequest('offer_id', 'Offer ID must be an integer higher than 0')
    throw notFound()
  })

  app.get('/order_book', request => {
    const base = pairAsset(request, 'selling_')
    const counter = pairAsset(request, 'buying_')
    const limit = queryValue(request, 'limit')
    if (!base || !counter || (limit !== '' && !isLimit(limit))) throw invalidOrderBook()
    return { bids: [], asks: [], base: assetFields(base), counter: assetFields(counter) }
  })

  app.get('/paths/strict-send', request => {
    requireAsset(request, 'source_')
    requireAmount(request, 'source_amount')
    requireOneOf(request, 'destination_assets', 'destination_account', 'destination')
    return { _embedded: { records: [] } }
  })
  for (const path of ['/paths/strict-receive', '/paths'])
    app.get(path, request => {
      requireAsset(request, 'destination_')
      requireAmount(request, 'destination_amount')
      requireOneOf(request, 'source_assets', 'source_account', 'source')
      return { _embedded: { records: [] } }
    })

  serveCollection(app, instance, '/liquidity_pools', request => {
    const reserves = queryValue(request, 'reserves')
    if (reserves !== '' && !reserves.split(',').every(isAsset))
      throw badRequest(
        'reserves',
        'Invalid reserves, should be comma-separated list of assets in canonical form',
      )
    addressParameter(request, 'account')
    return () => []
  })
  app.get('/liquidity_pools/:pool', request => {
    requirePoolId(request)
    throw notFound()
  })
}

/** Trades and what is made of them. */
export function tradeRoutes(app: FastifyInstance, instance: Instance): void {
  serveCollection(app, instance, '/trades', request => {
    if (!['', 'all', 'orderbook', 'liquidity_pool'].includes(queryValue(request, 'trade_type')))
      throw badRequest('trade_type', 'Trade type must be all, orderbook, or liquidity_pool')
    if (
      (queryValue(request, 'base_asset_type') === '') !==
      (queryValue(request, 'counter_asset_type') === '')
    )
      throw badRequest(
        'base_asset_type,counter_asset_type',
        'this endpoint supports asset pairs but only one asset supplied',
      )
    return () => []
  })
  serveCollection(app, instance, '/accounts/:account/trades', () => () => [])
  for (const name of ['trades', 'operations', 'effects', 'transactions'])
    serveCollection(app, instance, `/liquidity_pools/:pool/${name}`, request => {
      requirePoolId(request)
      return () => []
    })

  app.get('/trade_aggregations', request => {
    requireAsset(request, 'base_')
    requireAsset(request, 'counter_')
    if (!resolutions.includes(queryValue(request, 'resolution')))
      throw badRequest(
        'resolution',
        'illegal or missing resolution. allowed resolutions are: 1 minute (60000), 5 minutes (300000), ' +
          '15 minutes (900000), 1 hour (3600000), 1 day (86400000) and 1 week (604800000)',
      )
    const url = new URL(request.url, baseUrl(request))
    return { _links: { self: { href: url.toString() } }, _embedded: { records: [] } }
  })
}

const isLimit = (text: string) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 200

function isAsset(text: string): boolean {
  const [code = '', issuer = '', ...rest] = text.split(':')
  return (
    text === 'native' ||
    (rest.length === 0 && /^[A-Za-z0-9]{1,12}$/.test(code) && StrKey.isValidEd25519PublicKey(issuer))
  )
}

/** An asset in three parameters with a common prefix; undefined when they name none. */
function pairAsset(request: FastifyRequest, prefix: string): string | undefined {
  const type = queryValue(request, `${prefix}asset_type`)
  if (type === 'native') return type
  const asset = `${queryValue(request, `${prefix}asset_code`)}:${queryValue(request, `${prefix}asset_issuer`)}`
  const length = asset.indexOf(':')
  if (type !== (length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12')) return undefined
  return isAsset(asset) ? asset : undefined
}

/** @throws HorizonProblem when the parameters name no asset */
function requireAsset(request: FastifyRequest, prefix: string): void {
  const field = `${prefix}asset_type`
  if (queryValue(request, field) === '') throw badRequest(field, missing)
  if (!pairAsset(request, prefix)) throw badRequest(field, 'the parameters name no asset')
}

function requireAmount(request: FastifyRequest, field: string): void {
  const amount = queryValue(request, field)
  if (amount === '') throw badRequest(field, missing)
  if (!/^\d{1,12}(\.\d{1,7})?$/.test(amount)) throw badRequest(field, 'Amount must be a decimal number')
  if (/^[0.]+$/.test(amount)) throw badRequest(field, 'Amount must be positive')
}

function requireOneOf(request: FastifyRequest, assets: string, account: string, side: string): void {
  const given = queryValue(request, assets)
  if ((given === '') === (addressParameter(request, account) === ''))
    throw new HorizonProblem(
      'bad_request',
      'Bad Request',
      400,
      `The request requires either a list of ${side} assets or a ${side} account. Both fields cannot be present.`,
    )
  if (given !== '' && !given.split(',').every(isAsset))
    throw badRequest(assets, 'must be assets in canonical form, comma separated')
}

function requirePoolId(request: FastifyRequest): void {
  const id = pathValue(request, 'pool')
  if (!/^[0-9a-f]{64}$/.test(id)) throw badRequest('liquidity_pool_id', `${id} does not validate as sha256`)
}

const invalidOrderBook = () =>
  new HorizonProblem(
    'invalid_order_book',
    'Invalid Order Book Parameters',
    400,
    'The parameters that specify what order book to view are invalid in some way. Please ensure that your type ' +
      'parameters (selling_asset_type and buying_asset_type) are one the following valid values: native, ' +
      'credit_alphanum4, credit_alphanum12.  Also ensure that you have specified selling_asset_code and ' +
      'selling_asset_issuer if selling_asset_type is not native, as well as buying_asset_code and ' +
      'buying_asset_issuer if buying_asset_type is not native',
  )
