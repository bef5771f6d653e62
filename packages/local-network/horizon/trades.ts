import type { SQLInputValue } from 'node:sqlite'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { amountText, priceText } from '../ledger/amounts.ts'
import { assetFields, poolFee, type AssetName } from '../ledger/assets.ts'
import { int64Max } from '../ledger/entries.ts'
import { integer, number, optionalText, text } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { serveCollection, serveResource } from './collections.ts'
import type { Instance } from './instance.ts'
import { pageOf, requireWithinHistory, type Page, type Resource } from './paging.ts'
import { badRequest } from './problems.ts'
import { accountParameter, baseUrl, poolPathParameter, queryValue, requiredAsset } from './requests.ts'
import { timeText } from './times.ts'

const resolutions = ['60000', '300000', '900000', '3600000', '86400000', '604800000']

/** Trades and what is made of them. */
export function tradeRoutes(app: FastifyInstance, instance: Instance): void {
  const trades = (request: FastifyRequest, filter: TradeFilter) => (page: Page) =>
    tradeRecords(instance, filter, page, baseUrl(request))
  serveCollection(app, instance, '/trades', request => {
    const type = queryValue(request, 'trade_type')
    if (!['', 'all', 'orderbook', 'liquidity_pool'].includes(type))
      throw badRequest('trade_type', 'Trade type must be all, orderbook, or liquidity_pool')
    const one = queryValue(request, 'base_asset_type') !== ''
    if (one !== (queryValue(request, 'counter_asset_type') !== ''))
      throw badRequest(
        'base_asset_type,counter_asset_type',
        'this endpoint supports asset pairs but only one asset supplied',
      )
    const offer = queryValue(request, 'offer_id')
    if (offer !== '' && !/^\d{1,18}$/.test(offer)) throw badRequest('offer_id', 'Offer ID must be an integer')
    return trades(request, {
      type,
      ...(offer !== '' && { offer: BigInt(offer) }),
      ...(one && { base: requiredAsset(request, 'base_'), counter: requiredAsset(request, 'counter_') }),
    })
  })
  serveCollection(app, instance, '/accounts/:account/trades', request =>
    trades(request, { account: accountParameter(request) }),
  )
  serveCollection(app, instance, '/liquidity_pools/:pool/trades', request =>
    trades(request, { pool: poolPathParameter(request) }),
  )
  serveResource(app, instance, '/trade_aggregations', request => aggregations(instance.database, request))
}

interface TradeFilter {
  readonly type?: string
  readonly account?: string
  readonly offer?: bigint
  readonly pool?: string
  readonly base?: AssetName
  readonly counter?: AssetName
}

function tradeRecords(instance: Instance, filter: TradeFilter, page: Page, base: string): Resource[] {
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  const where = (condition: string, ...given: SQLInputValue[]) => {
    conditions.push(condition)
    values.push(...given)
  }
  const { type, account, offer, pool } = filter
  if (type === 'orderbook') where('base_pool IS NULL AND counter_pool IS NULL')
  if (type === 'liquidity_pool') where('(base_pool IS NOT NULL OR counter_pool IS NOT NULL)')
  if (account !== undefined) where('? IN (base_account, counter_account)', account)
  if (offer !== undefined) where('? IN (base_offer, counter_offer)', offer)
  if (pool !== undefined) where('? IN (base_pool, counter_pool)', pool)
  if (filter.base && filter.counter)
    where(pairCondition, filter.base, filter.counter, filter.counter, filter.base)
  const { operation, place } = tradeCursor(page, instance.elder)
  where(`(id, place) ${page.order === 'asc' ? '>' : '<'} (?, ?)`, operation, place)
  return instance.database
    .rows(
      `SELECT * FROM trades WHERE ${conditions.join(' AND ')}
       ORDER BY id ${page.order}, place ${page.order} LIMIT ?`,
      ...values,
      page.limit,
    )
    .map(row => tradeRecord(row, base, filter.base))
}

const pairCondition = `((base_asset = ? AND counter_asset = ?) OR (base_asset = ? AND counter_asset = ?))`

/** `<operation>-<place>`, or an operation's id alone. */
function tradeCursor({ cursor, order }: Page, elder: number) {
  const edge = order === 'asc' ? -1n : int64Max
  if (cursor === '') return { operation: order === 'asc' ? 0n : int64Max, place: edge }
  if (!/^\d{1,19}(-\d{1,9})?$/.test(cursor)) throw badRequest('cursor', 'cursor: invalid value')
  const [operation = '0', place] = cursor.split('-')
  requireWithinHistory(BigInt(operation), order, elder)
  return { operation: BigInt(operation), place: place === undefined ? edge : BigInt(place) }
}

/** Horizon's resource of a trade, turned round where the other asset is asked for as the base. */
function tradeRecord(row: Row, base: string, asked?: AssetName): Resource {
  const turned = asked !== undefined && text(row['base_asset']) !== asked
  const id = integer(row['id'])
  const token = `${id}-${number(row['place'])}`
  const [first, second] = turned ? (['counter', 'base'] as const) : (['base', 'counter'] as const)
  const [n, d] = turned ? ['price_d', 'price_n'] : ['price_n', 'price_d']
  const party = (side: string) => {
    const pool = optionalText(row[`${side}_pool`])
    return pool ? `${base}/liquidity_pools/${pool}` : `${base}/accounts/${text(row[`${side}_account`])}`
  }
  const side = (name: string, column: string) => {
    const [account, pool] = [optionalText(row[`${column}_account`]), optionalText(row[`${column}_pool`])]
    const offer = row[`${column}_offer`]
    return {
      ...(offer !== null && { [`${name}_offer_id`]: integer(offer).toString() }),
      ...(account && { [`${name}_account`]: account }),
      ...(pool && { [`${name}_liquidity_pool_id`]: pool }),
      [`${name}_amount`]: amountText(integer(row[`${column}_amount`])),
      ...assetFields(text(row[`${column}_asset`]), `${name}_asset`),
    }
  }
  const pooled = row['base_pool'] !== null || row['counter_pool'] !== null
  return {
    ...{
      _links: {
        self: { href: '' },
        base: { href: party(first) },
        counter: { href: party(second) },
        operation: { href: `${base}/operations/${id}` },
      },
      id: token,
      ledger_close_time: timeText(number(row['closed_at'])),
      trade_type: pooled ? 'liquidity_pool' : 'orderbook',
      ...(pooled && { liquidity_pool_fee_bp: poolFee }),
      ...side('base', first),
      ...side('counter', second),
      base_is_seller: (integer(row['base_is_seller']) === 1n) !== turned,
      price: { n: integer(row[n ?? '']).toString(), d: integer(row[d ?? '']).toString() },
    },
    paging_token: token,
  }
}

interface Bucket {
  readonly start: bigint
  readonly trades: readonly Pair[]
}

/** A trade seen with the asked asset as its base. */
interface Pair {
  readonly base: bigint
  readonly counter: bigint
  readonly n: bigint
  readonly d: bigint
}

function aggregations(database: Database, request: FastifyRequest) {
  const base = requiredAsset(request, 'base_')
  const counter = requiredAsset(request, 'counter_')
  const resolution = queryValue(request, 'resolution')
  if (!resolutions.includes(resolution))
    throw badRequest(
      'resolution',
      'illegal or missing resolution. allowed resolutions are: 1 minute (60000), 5 minutes (300000), ' +
        '15 minutes (900000), 1 hour (3600000), 1 day (86400000) and 1 week (604800000)',
    )
  const step = BigInt(resolution)
  const { order, limit } = pageOf(request)
  const offset = wholeNumber(request, 'offset', 0n)
  const start = wholeNumber(request, 'start_time', 0n)
  const end = wholeNumber(request, 'end_time', int64Max)
  const rows = database.rows(
    `SELECT * FROM trades WHERE ${pairCondition} AND closed_at >= ? AND closed_at < ? ORDER BY id, place`,
    base,
    counter,
    counter,
    base,
    start,
    end,
  )
  const buckets = bucketsOf(rows, base, step, offset)
  const chosen = (order === 'asc' ? buckets : buckets.toReversed()).slice(0, limit)
  const self = new URL(request.url, baseUrl(request))
  const next = new URL(self)
  const last = chosen.at(-1)
  if (last && order === 'asc') next.searchParams.set('start_time', String(last.start + step))
  if (last && order === 'desc') next.searchParams.set('end_time', String(last.start))
  next.searchParams.sort()
  return {
    _links: {
      self: { href: self.toString() },
      next: { href: last ? next.toString() : '' },
      prev: { href: '' },
    },
    _embedded: { records: chosen.map(bucketRecord) },
  }
}

function wholeNumber(request: FastifyRequest, name: string, otherwise: bigint): bigint {
  const given = queryValue(request, name)
  if (given === '') return otherwise
  if (!/^\d{1,18}$/.test(given)) throw badRequest(name, `${name}: must be a time in milliseconds`)
  return BigInt(given)
}

function bucketsOf(rows: readonly Row[], base: AssetName, step: bigint, offset: bigint): Bucket[] {
  const buckets = new Map<bigint, Pair[]>()
  for (const row of rows) {
    const closed = integer(row['closed_at'])
    const start = ((closed - offset) / step) * step + offset
    const straight = text(row['base_asset']) === base
    const [mine, other] = straight ? ['base_amount', 'counter_amount'] : ['counter_amount', 'base_amount']
    const [n, d] = straight ? ['price_n', 'price_d'] : ['price_d', 'price_n']
    const value = (column: string | undefined) => integer(row[column ?? ''])
    const pair = { base: value(mine), counter: value(other), n: value(n), d: value(d) }
    buckets.set(start, [...(buckets.get(start) ?? []), pair])
  }
  return [...buckets]
    .map(([start, trades]) => ({ start, trades }))
    .sort((a, b) => (a.start < b.start ? -1 : 1))
}

function bucketRecord({ start, trades }: Bucket) {
  const sum = (side: 'base' | 'counter') => trades.reduce((total, trade) => total + trade[side], 0n)
  const byPrice = trades.toSorted((a, b) => (a.n * b.d < b.n * a.d ? -1 : 1))
  const price = (name: string, trade: Pair | undefined) => ({
    [name]: priceText(trade?.n ?? 0n, trade?.d ?? 1n),
    [`${name}_r`]: { n: String(trade?.n), d: String(trade?.d) },
  })
  return {
    timestamp: start.toString(),
    trade_count: String(trades.length),
    base_volume: amountText(sum('base')),
    counter_volume: amountText(sum('counter')),
    avg: priceText(sum('counter'), sum('base')),
    ...price('high', byPrice.at(-1)),
    ...price('low', byPrice[0]),
    ...price('open', trades[0]),
    ...price('close', trades.at(-1)),
  }
}
