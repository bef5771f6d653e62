import Type from 'typebox'
import { Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const Asset = Type.String({ minLength: 1, maxLength: 100 })

const DeliveryMethods = Type.Optional(
  Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
)

export const getSep38Info = endpoint('GET /sep38/info', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  summary: 'Assets that can be exchanged (SEP-38)',
  conditional: true,
  response: {
    200: Type.Object({
      assets: Type.Array(
        Type.Object({
          asset: Type.String(),
          country_codes: Type.Optional(Type.Array(Type.String())),
          sell_delivery_methods: DeliveryMethods,
          buy_delivery_methods: DeliveryMethods,
        }),
      ),
    }),
  },
})

const Methods = {
  sell_delivery_method: Text(50),
  buy_delivery_method: Text(50),
  country_code: Text(6),
}
export const Sep38Price = Type.Object({
  asset: Type.String(),
  price: Type.String(),
  decimals: Type.Integer(),
})

/** Give one of sell_asset with sell_amount and buy_asset with buy_amount. */
export const getPrices = endpoint('GET /sep38/prices', {
  realm: 'public',
  limit: 'shared',
  summary: 'Indicative prices against every other asset (SEP-38)',
  query: Type.Object({
    sell_asset: Type.Optional(Asset),
    sell_amount: Text(40),
    buy_asset: Type.Optional(Asset),
    buy_amount: Text(40),
    ...Methods,
  }),
  response: {
    200: Type.Object({
      buy_assets: Type.Optional(Type.Array(Sep38Price)),
      sell_assets: Type.Optional(Type.Array(Sep38Price)),
    }),
  },
})

export const Sep38Fee = Type.Object({
  total: Type.String(),
  asset: Type.String(),
  details: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.String(), amount: Type.String(), description: Type.Optional(Type.String()) }),
    ),
  ),
})
const price = {
  total_price: Type.String(),
  price: Type.String(),
  sell_amount: Type.String(),
  buy_amount: Type.String(),
  fee: Sep38Fee,
}

/** Give one of sell_amount and buy_amount. */
export const getPrice = endpoint('GET /sep38/price', {
  realm: 'public',
  limit: 'shared',
  summary: 'The indicative price of a pair (SEP-38)',
  query: Type.Object({
    context: Type.Enum(['sep6', 'sep24', 'sep31']),
    sell_asset: Asset,
    buy_asset: Asset,
    sell_amount: Text(40),
    buy_amount: Text(40),
    ...Methods,
  }),
  response: { 200: Type.Object(price) },
})

export const Sep38Quote = Type.Object({
  id: Type.String(),
  expires_at: Time,
  sell_asset: Type.String(),
  sell_delivery_method: Type.Optional(Type.String()),
  buy_asset: Type.String(),
  buy_delivery_method: Type.Optional(Type.String()),
  ...price,
})

/** Give one of sell_amount and buy_amount. */
export const createSep38Quote = endpoint('POST /sep38/quote', {
  realm: 'wallet',
  summary: 'A firm quote (SEP-38)',
  body: Type.Object({
    context: Type.Enum(['sep6', 'sep24', 'sep31']),
    sell_asset: Asset,
    buy_asset: Asset,
    sell_amount: Text(40),
    buy_amount: Text(40),
    expire_after: Text(40),
    ...Methods,
  }),
  form: true,
  response: { 201: Sep38Quote },
  problems: ['too-many-requests'],
})

export const getSep38Quote = endpoint('GET /sep38/quote/:id', {
  realm: 'wallet',
  summary: 'A firm quote again (SEP-38)',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  response: { 200: Sep38Quote },
})
