import Fastify from 'fastify'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/*
 * A Fastify process that signs, checks, reads and writes as often as it is asked to, and does nothing else: what a server
 * on Node cannot be cheaper than.
 */

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL ?? '', max: 5 })
await pool.query(
  'create table if not exists bare (id bigint generated always as identity primary key, what text)',
)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const message = Buffer.alloc(32, 7)
const signature = sign(null, message, privateKey)
const body = 'x'.repeat(600)

const app = Fastify({ logger: { level: 'info', stream: process.stderr } })
app.route<{ Querystring: Record<string, string> }>({
  method: ['GET', 'POST'],
  url: '/',
  handler: async ({ query }) => {
    const each = async (name: string, act: () => unknown) => {
      for (let left = Number(query[name] ?? 0); left > 0; left--) await act()
    }
    await each('signatures', () => sign(null, message, privateKey))
    await each('checks', () => verify(null, message, publicKey, signature))
    await each('reads', () =>
      pool.query({ name: 'read', text: 'select * from bare where id = $1', values: [1] }),
    )
    await each('writes', () =>
      pool.query({ name: 'write', text: 'insert into bare (what) values ($1) returning id', values: [body] }),
    )
    return { body }
  },
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.((app.server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit())
