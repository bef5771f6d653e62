import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'

/*
 * The business that the Anchor Platform asks for rates and customers: it keeps what a customer said, and exchanges one for
 * one without a fee. It does less than any real one: it seals, checks, limits and decides nothing.
 */
const QUOTE_MS = 600_000
const FIELDS = ['first_name', 'last_name']

const database = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL ?? '', max: 5 })
// Not in public, which the Platform wants to find empty.
await database.query('create schema business')
await database.query('create table business.customers (id text primary key, said jsonb not null)')

const idOf = (account: unknown): string => createHash('sha256').update(String(account)).digest('hex')

async function answerTo(request: IncomingMessage): Promise<object> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://business')
  if (request.method === 'PUT') return keep((await json(request)) as Record<string, unknown>)
  request.resume()
  return pathname === '/rate' ? { rate: rateOf(searchParams) } : customerOf(searchParams.get('account'))
}

async function keep({ account, ...said }: Record<string, unknown>): Promise<object> {
  const id = idOf(account)
  await database.query({
    name: 'keep',
    text: 'insert into business.customers values ($1, $2) on conflict (id) do update set said = excluded.said',
    values: [id, JSON.stringify(said)],
  })
  return { id }
}

async function customerOf(account: string | null): Promise<object> {
  const id = idOf(account)
  const { rows } = await database.query<{ said: Record<string, unknown> }>({
    ...{ name: 'find', text: 'select said from business.customers where id = $1', values: [id] },
  })
  const fields = FIELDS.filter(name => rows[0]?.said[name] !== undefined)
  const accepted = (name: string) => ({ type: 'string', description: name, status: 'ACCEPTED' })
  const provided_fields = Object.fromEntries(fields.map(name => [name, accepted(name)]))
  return { id, status: 'ACCEPTED', provided_fields }
}

function rateOf(asked: URLSearchParams): object {
  const amount = asked.get('sell_amount') ?? asked.get('buy_amount')
  const kept = { id: randomUUID(), expires_at: new Date(Date.now() + QUOTE_MS).toISOString() }
  return {
    ...(asked.get('type') === 'firm' ? kept : {}),
    ...{ price: '1', sell_amount: amount, buy_amount: amount },
    fee: { total: '0', asset: asked.get('sell_asset') },
  }
}

const server = createServer((request, response) => {
  answerTo(request).then(
    answer => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
// Longer than those who ask keep their connections.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
