import Fastify from 'fastify'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'
import type { Answer, Work } from './floor.ts'

/*
 * A Fastify process that signs, checks, reads, writes and asks another process as often as a request says, sends what ours
 * answers, and does nothing else: what a server on Node cannot be cheaper than.
 */

const database = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL ?? '', max: 5 })
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const message = Buffer.alloc(32, 7)
const signature = sign(null, message, privateKey)
const row = 'x'.repeat(600)

const read: pg.QueryConfig = { name: 'read', text: 'select * from bare where id = $1', values: [1] }
const write: pg.QueryConfig = {
  ...{ name: 'write', text: 'insert into bare (what) values ($1) returning id' },
  values: [row],
}

const ask = ({ port, ...work }: Work & { port: number }) =>
  fetchPart(`http://127.0.0.1:${port}`, {
    ...{ method: 'POST', body: JSON.stringify(work) },
    headers: { 'content-type': 'application/json' },
  })

async function transact(statements: number): Promise<void> {
  const client = await database.connect()
  try {
    await client.query({ name: 'begin', text: 'begin' })
    for (let left = statements; left > 0; left--) await client.query(left % 2 ? write : read)
    await client.query({ name: 'commit', text: 'commit' })
  } finally {
    client.release()
  }
}

async function times(count: number | undefined, act: () => unknown): Promise<void> {
  for (let left = count ?? 0; left > 0; left--) await act()
}

async function perform(work: Work): Promise<void> {
  await times(work.signatures, () => sign(null, message, privateKey))
  await times(work.checks, () => verify(null, message, publicKey, signature))
  await times(work.reads, () => database.query(read))
  await times(work.writes, () => database.query(write))
  for (const statements of work.transactions ?? []) await transact(statements)
  for (const each of work.asks ?? []) JSON.parse((await ask(each)).text)
}

let answer: Answer = { headers: {}, body: '{}' }
let work: Work = {}
const app = Fastify({ logger: { level: 'info', stream: process.stderr } })
app.post<{ Body: Work }>('/', async ({ body }) => {
  await perform(body)
  return { row }
})
app.get('/', async (_request, reply) => {
  await perform(work)
  return reply.headers(answer.headers).send(answer.body)
})
app.get('/answer', (_request, reply) => reply.headers(answer.headers).send(answer.body))
await database.query(
  'create table if not exists bare (id bigint generated always as identity primary key, what text)',
)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.((app.server.address() as AddressInfo).port)
process.on('message', (told: { answer: Answer; work: Work }) => {
  ;({ answer, work } = told)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
