import type { JsonSchema } from './json-schema.ts'

const ACCOUNT = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'
const HASH = '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889'
const CHALLENGE = 'AAAAAgAAAADIiRu2BrqqeOcP28PWCkD4D5Rjjsqh71HwvqFX+F4VXAAAAGQ'

/** What a reader recognizes, by a field's name in any spelling. */
const TEXTS: Readonly<Record<string, unknown>> = {
  account: ACCOUNT,
  anchorid: 'k3f8a0z1b7c2d9e4x6m5',
  accountid: ACCOUNT,
  activity: 'active',
  address: ACCOUNT,
  amount: '100',
  anchoredto: 'USD',
  apiurl: 'http://127.0.0.1:20001',
  asset: 'USDC',
  assetcode: 'USDC',
  body: 'eyJzdGF0dXMiOiJBcHByb3ZlZCJ9',
  businessemail: 'ada@acme.example',
  buyasset: `stellar:USDC:${ACCOUNT}`,
  clientaddress: '203.0.113.7',
  clientdomain: 'wallet.example',
  code: '482913',
  color: '#0b57c9',
  companyname: 'Acme Payments',
  contenttype: 'image/png',
  country: 'IN',
  countrycode: 'IN',
  currency: 'INR',
  currencypair: 'INR/USDC',
  cursor: 'MjAyNi0wMy0wMVQxMjowMDowMC4wMDBafGE3',
  destinationasset: `stellar:USDC:${ACCOUNT}`,
  discoveryurl: 'https://acme.example/.well-known/stellar.toml',
  distribution: ACCOUNT,
  distributionaccount: ACCOUNT,
  domain: 'acme.example',
  email: 'ada@acme.example',
  expiresat: '2026-03-01T12:05:00Z',
  event: 'transaction.completed',
  events: ['transaction.completed'],
  file: 'photo.png',
  from: '2026-03-01T12:00:00Z',
  fullname: 'Ada Park',
  fxrate: '83.25',
  hash: HASH,
  homedomain: 'acme.example',
  host: 'acme.example',
  image: 'registry.example/windlass:0.2.0',
  issuer: ACCOUNT,
  jobid: 'q3v0RZ2bXo6Kf1mT8nLyDw5uHc7sPa9e',
  key: 'wk_live_7f3a2c9be1d64f08',
  kind: 'deposit',
  lang: 'en',
  ledgertransaction: HASH,
  login: CHALLENGE,
  memo: '7431',
  memotype: 'id',
  minute: '2026-03-01T12:00:00Z',
  name: 'Acme',
  network: 'testnet',
  networkpassphrase: 'Test SDF Network ; September 2015',
  password: 'correct horse battery staple',
  percentage: '0.005',
  prefix: '/',
  price: '83.25',
  protocolimage: 'registry.example/windlass-sep:0.2.0',
  rail: 'UPI',
  rails: ['UPI'],
  rawtoken: 'nV4xq0b2mQ8s6kZr1yJt',
  reason: 'The licence could not be verified.',
  redeemurl: 'http://localhost:4001/redeem#token=nV4xq0b2mQ8s6kZr1yJt',
  region: 'IN',
  regions: ['IN'],
  requestid: '0b1f5c0e-6c2e-4b7e-9d2a-5f1f0a3c7d11',
  returnurl: 'http://localhost:4003/',
  sellasset: 'iso4217:INR',
  sourceasset: 'iso4217:INR',
  sellamount: '8366.63',
  buyamount: '100',
  servicesecrethash: HASH,
  sha256: HASH,
  signingkey: ACCOUNT,
  slug: 'acme',
  stellartransactionid: HASH,
  subdomain: 'acme',
  summarysecret: 'f0b8d1c4a7e2956c3d8a1b4e7f2c5d90',
  target: 'http://127.0.0.1:20001',
  token: 'nV4xq0b2mQ8s6kZr1yJt',
  transaction: CHALLENGE,
  treasurycapacity: '25000',
  type: 'string',
  url: 'https://example.org/hook',
  username: 'admin',
  version: '0.2.0',
  walletaddress: ACCOUNT,
  webauth: 'https://acme.example/auth',
}

const FORMATS: Readonly<Record<string, unknown>> = {
  'date-time': '2026-03-01T12:00:00Z',
  email: 'ada@acme.example',
  uri: 'https://example.org/',
  binary: '(the bytes of a file)',
}

/** A value that fits a printed schema and looks like the real thing, the same in every run. */
export function exampleOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  name = '',
  depth = 0,
): unknown {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)!]!, schemas, name, depth)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  const known = TEXTS[name.replaceAll('_', '').toLowerCase()]
  if (known !== undefined && fits(known, type, schema)) return known
  if (schema.anyOf?.[0] && type === undefined) return exampleOf(schema.anyOf[0], schemas, name, depth)
  switch (type) {
    case 'string':
      return textOf(schema, name)
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, Math.min(1, schema.maximum ?? 1))
    case 'boolean':
      return true
    case 'array':
      return schema.items ? [exampleOf(schema.items, schemas, name, depth + 1)] : []
    case 'object':
      return objectOf(schema, schemas, depth)
    default:
      return {}
  }
}

function fits(known: unknown, type: string | undefined, { pattern, items, maxLength }: JsonSchema): boolean {
  if (Array.isArray(known)) return type === 'array' && items?.type === 'string' && !items.enum
  if (typeof known !== 'string' || type !== 'string' || known.length > (maxLength ?? Infinity)) return false
  return !pattern || new RegExp(pattern).test(known)
}

function textOf({ format, pattern, maxLength }: JsonSchema, name: string): unknown {
  const isId = /id$/i.test(name)
  const choices = [
    FORMATS[format ?? ''],
    isId ? 'a7Qk2ZxN0bTf8RmW4cVdLs' : undefined,
    /amount|fee|total|fixed|variable|min|max|balance|reserved|capacity/i.test(name) ? '1.5' : undefined,
    'text',
    '100',
    'IN',
    '/',
    ACCOUNT,
    HASH,
    '*',
    // A legal entity identifier and a registration authority.
    '529900T8BM49AURSDO55',
    'RA000585',
    `USDC:${ACCOUNT}`,
    'application/png',
    '/api/v1/transactions',
    '2026-03-01',
    '0.005',
    // A public key of an export.
    'eeBIiLcmPMGBXNwD1IV59kVupdwtiv2dn4dsRk6l_Es',
    // A point of P-256.
    'BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  ]
  const fitting = choices.find(
    text =>
      typeof text === 'string' &&
      text.length <= (maxLength ?? Infinity) &&
      (!pattern || new RegExp(pattern).test(text)),
  )
  if (fitting === undefined) throw new Error(`${name}: no example fits ${pattern}`)
  return fitting
}

function objectOf(
  { properties = {}, additionalProperties, required = [] }: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  depth: number,
): unknown {
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || (!property.deprecated && depth < 6),
  )
  const values = shown.map(([name, property]) => [name, exampleOf(property, schemas, name, depth + 1)])
  if (values.length === 0 && typeof additionalProperties === 'object')
    return { name: exampleOf(additionalProperties, schemas, '', depth + 1) }
  return Object.fromEntries(values) as unknown
}
