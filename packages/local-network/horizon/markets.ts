import type { FastifyInstance, FastifyRequest } from 'fastify'
import { amountText, priceText } from '../ledger/amounts.ts'
import { assetFields, poolFee, type AssetName } from '../ledger/assets.ts'
import { integer, number } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { offerOf, poolOf } from '../store/entry-rows.ts'
import { serveCollection, serveResource } from './collections.ts'
import type { Instance } from './instance.ts'
import { historyCursor, type Page } from './paging.ts'
import { pathsRoutes } from './paths.ts'
import { badRequest, HorizonProblem, notFound } from './problems.ts'
import {
  accountParameter,
  addressParameter,
  assetInParts,
  baseUrl,
  isAsset,
  optionalAsset,
  pathValue,
  poolPathParameter,
  queryValue,
} from './requests.ts'
import { modifiedTime } from './times.ts'

/** Offers, order books, paths and pools. */
export function marketRoutes(app: FastifyInstance, instance: Instance): void {
  const offers = (request: FastifyRequest, filter: OfferFilter) => (page: Page) =>
    offerRows(instance, filter, page).map(row => offerRecord(row, baseUrl(request)))
  serveCollection(
    app,
    instance,
    '/offers',
    request =>
      offers(request, {
        seller: addressParameter(request, 'seller'),
        sponsor: addressParameter(request, 'sponsor'),
        selling: optionalAsset(request, 'selling'),
        buying: optionalAsset(request, 'buying'),
      }),
    { streamed: false },
  )
  serveCollection(app, instance, '/accounts/:account/offers', request =>
    offers(request, { seller: accountParameter(request) }),
  )
  serveResource(app, instance, '/offers/:offer', request => {
    const id = pathValue(request, 'offer')
    if (!/^[1-9]\d{0,18}$/.test(id)) throw badRequest('offer_id', 'Offer ID must be an integer higher than 0')
    const row = instance.database.row(
      `SELECT o.*, l.closed_at FROM ${offerSource} WHERE o.id = ?`,
      BigInt(id),
    )
    if (!row) throw notFound()
    return offerRecord(row, baseUrl(request))
  })
  serveResource(app, instance, '/order_book', request => orderBook(instance.database, request), {
    streamed: true,
  })
  pathsRoutes(app, instance)

  serveCollection(
    app,
    instance,
    '/liquidity_pools',
    request => {
      const reserves = queryValue(request, 'reserves')
      if (reserves !== '' && !reserves.split(',').every(isAsset))
        throw badRequest(
          'reserves',
          'Invalid reserves, should be comma-separated list of assets in canonical form',
        )
      const account = addressParameter(request, 'account')
      return page =>
        poolRows(
          instance.database,
          { reserves: reserves === '' ? [] : reserves.split(','), account },
          page,
        ).map(row => poolRecord(row, baseUrl(request)))
    },
    { streamed: false },
  )
  serveResource(app, instance, '/liquidity_pools/:pool', request => {
    const row = instance.database.row(
      `SELECT p.*, l.closed_at FROM ${poolSource} WHERE p.id = ?`,
      poolPathParameter(request),
    )
    if (!row) throw notFound()
    return poolRecord(row, baseUrl(request))
  })
}

interface OfferFilter {
  readonly seller?: string
  readonly sponsor?: string
  readonly selling?: AssetName | undefined
  readonly buying?: AssetName | undefined
}

const offerSource = 'offers o LEFT JOIN ledgers l ON l.sequence = o.modified'

function offerRows(instance: Instance, filter: OfferFilter, page: Page): Row[] {
  const cursor = historyCursor(page, { elder: 0 })
  return instance.database.rows(
    `SELECT o.*, l.closed_at FROM ${offerSource}
     WHERE (?1 = '' OR o.seller = ?1) AND (?2 = '' OR o.sponsor = ?2) AND (?3 = '' OR o.selling = ?3)
       AND (?4 = '' OR o.buying = ?4) AND o.id ${page.order === 'asc' ? '>' : '<'} ?5
     ORDER BY o.id ${page.order} LIMIT ?6`,
    filter.seller ?? '',
    filter.sponsor ?? '',
    filter.selling ?? '',
    filter.buying ?? '',
    cursor,
    page.limit,
  )
}

/** Horizon's resource of an offer. */
function offerRecord(row: Row, base: string) {
  const { id, seller, selling, buying, amount, price, sponsor, modified } = offerOf(row)
  return {
    _links: {
      self: { href: `${base}/offers/${id}` },
      offer_maker: { href: `${base}/accounts/${seller}` },
    },
    id: id.toString(),
    paging_token: id.toString(),
    seller,
    selling: assetFields(selling),
    buying: assetFields(buying),
    amount: amountText(amount),
    price_r: price,
    price: priceText(price.n, price.d),
    last_modified_ledger: modified,
    last_modified_time: modifiedTime(row['closed_at']),
    ...(sponsor && { sponsor }),
  }
}

function orderBook(database: Database, request: FastifyRequest) {
  const selling = assetInParts(request, 'selling_')
  const buying = assetInParts(request, 'buying_')
  const limit = queryValue(request, 'limit')
  if (!selling || !buying || (limit !== '' && !isLimit(limit))) throw invalidOrderBook()
  const levels = (sold: AssetName, bought: AssetName) =>
    database.rows(
      `SELECT price_n, price_d, SUM(amount) AS amount FROM offers WHERE selling = ? AND buying = ?
       GROUP BY price ORDER BY price LIMIT ?`,
      sold,
      bought,
      limit === '' ? 20 : Number(limit),
    )
  const level = (n: number, d: number, amount: bigint) => ({
    price_r: { n, d },
    price: priceText(n, d),
    amount: amountText(amount),
  })
  return {
    // An offer for the other side is a bid at the inverse of its price.
    bids: levels(buying, selling).map(row =>
      level(number(row['price_d']), number(row['price_n']), integer(row['amount'])),
    ),
    asks: levels(selling, buying).map(row =>
      level(number(row['price_n']), number(row['price_d']), integer(row['amount'])),
    ),
    base: assetFields(selling),
    counter: assetFields(buying),
  }
}

const isLimit = (value: string) => /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 200

const poolSource = 'liquidity_pools p LEFT JOIN ledgers l ON l.sequence = p.modified'

function poolRows(
  database: Database,
  { reserves, account }: { reserves: readonly AssetName[]; account: string },
  { cursor, order, limit }: Page,
): Row[] {
  const has = reserves.map(() => 'AND ? IN (p.asset_a, p.asset_b)').join(' ')
  return database.rows(
    `SELECT p.*, l.closed_at FROM ${poolSource}
     WHERE (? = '' OR p.id IN (SELECT asset FROM trustlines WHERE account = ?)) ${has}
       AND (? = '' OR p.id ${order === 'asc' ? '>' : '<'} ?)
     ORDER BY p.id ${order} LIMIT ?`,
    account,
    account,
    ...reserves,
    cursor,
    cursor,
    limit,
  )
}

/** Horizon's resource of a liquidity pool. */
function poolRecord(row: Row, base: string) {
  const pool = poolOf(row)
  const self = `${base}/liquidity_pools/${pool.id}`
  const page = (name: string) => ({ href: `${self}/${name}{?cursor,limit,order}`, templated: true })
  return {
    _links: { self: { href: self }, transactions: page('transactions'), operations: page('operations') },
    id: pool.id,
    paging_token: pool.id,
    fee_bp: poolFee,
    type: 'constant_product',
    total_trustlines: String(pool.lines),
    total_shares: amountText(pool.shares),
    reserves: [
      { asset: pool.assetA, amount: amountText(pool.reserveA) },
      { asset: pool.assetB, amount: amountText(pool.reserveB) },
    ],
    last_modified_ledger: pool.modified,
    last_modified_time: modifiedTime(row['closed_at']),
  }
}

const invalidOrderBook = () =>
  new HorizonProblem(
    'invalid_order_book',
    'Invalid Order Book Parameters',
    400,
    'The parameters that specify what order book to view are invalid in some way. Please ensure that your type ' +
      'parameters (selling_asset_type and buying_asset_type) are one the following valid values: native, ' +
      'credit_alphanum4, credit_alphanum12.  Also ensure that you have specified selling_asset_code and ' +
      "selling_asset_issuer if selling_asset_type is not 'native', as well as buying_asset_code and " +
      "buying_asset_issuer if buying_asset_type is not 'native'",
  )
