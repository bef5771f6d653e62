import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountById, accountRecord, accountRows, dataValue, type AccountFilter } from './accounts.ts'
import { assetNames, assetRecord } from './assets.ts'
import { claimableBalanceById, claimableBalanceRecord, claimableBalanceRows } from './claimable-balances.ts'
import { serveCollection, serveResource } from './collections.ts'
import type { Instance } from './instance.ts'
import { marketRoutes } from './markets.ts'
import { badRequest, invalidAccountsParameters, notFound } from './problems.ts'
import {
  accountParameter,
  addressParameter,
  assetParameter,
  balanceParameter,
  baseUrl,
  pathValue,
  poolParameter,
  queryValue,
  signerParameter,
} from './requests.ts'

/** What there is: accounts, their data, assets, claimable balances. */
export function stateRoutes(app: FastifyInstance, instance: Instance): void {
  // The header belongs to the same moment as the answer: handlers run in this turn of the event loop.
  app.addHook('preHandler', (_request, reply, done) => {
    reply.header('latest-ledger', String(instance.latest.sequence))
    done()
  })

  serveCollection(
    app,
    instance,
    '/accounts',
    request => {
      const by = accountFilter(request)
      return page =>
        accountRows(instance.database, by, page).map(row =>
          accountRecord(instance.database, row, baseUrl(request)),
        )
    },
    { streamed: false },
  )
  serveResource(
    app,
    instance,
    '/accounts/:account',
    request => {
      const row = accountById(instance.database, accountParameter(request))
      if (!row) throw notFound()
      return accountRecord(instance.database, row, baseUrl(request))
    },
    { streamed: true },
  )
  serveResource(
    app,
    instance,
    '/accounts/:account/data/:key',
    request => {
      const value = dataValue(instance.database, accountParameter(request), pathValue(request, 'key'))
      if (value === undefined) throw notFound()
      return { value }
    },
    { streamed: true, raw: ({ value }) => Buffer.from(value, 'base64') },
  )

  serveCollection(
    app,
    instance,
    '/assets',
    request => {
      const code = queryValue(request, 'asset_code')
      if (code !== '' && !/^[A-Za-z0-9]{1,12}$/.test(code))
        throw badRequest('asset_code', 'not an asset code')
      const issuer = addressParameter(request, 'asset_issuer')
      return page => {
        if (
          page.cursor !== '' &&
          !/^[A-Za-z0-9]{1,12}_G[A-Z2-7]{55}_credit_alphanum(4|12)$/.test(page.cursor)
        )
          throw badRequest('cursor', 'cursor: must be a code, an issuer and a type joined by _')
        return assetNames(instance.database, { code, issuer }, page).map(asset =>
          assetRecord(instance, asset),
        )
      }
    },
    { streamed: false },
  )

  serveCollection(
    app,
    instance,
    '/claimable_balances',
    request => {
      const filter = {
        asset: assetParameter(request),
        sponsor: addressParameter(request, 'sponsor'),
        claimant: addressParameter(request, 'claimant'),
      }
      return page =>
        claimableBalanceRows(instance.database, filter, page).map(row =>
          claimableBalanceRecord(row, baseUrl(request)),
        )
    },
    { streamed: false },
  )
  serveResource(app, instance, '/claimable_balances/:balance', request => {
    const row = claimableBalanceById(instance.database, balanceParameter(request))
    if (!row) throw notFound()
    return claimableBalanceRecord(row, baseUrl(request))
  })

  marketRoutes(app, instance)
}

function accountFilter(request: FastifyRequest): AccountFilter {
  const given = [
    { asset: assetParameter(request) },
    { signer: signerParameter(request) },
    { sponsor: addressParameter(request, 'sponsor') },
    { pool: poolParameter(request, 'liquidity_pool') },
  ].filter(filter => Object.values(filter)[0] !== '')
  const [filter, another] = given
  if (!filter || another) throw invalidAccountsParameters()
  if ('asset' in filter && filter.asset === 'native')
    throw badRequest('asset', "you can't filter by asset: native")
  return filter
}
