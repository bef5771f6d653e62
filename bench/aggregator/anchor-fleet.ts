import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * Every anchor of the benchmark in one process of its own: each is a host under 127.0.0.0/8, told apart by the
 * address it was reached at. One in twenty answers with another capacity than the last time, one in forty is down.
 * It tells its port. On a message `{ hang: n }` every nth of them stops answering, 0: none.
 */

let hang = 0

const bodyOf = (capacity: string) =>
  JSON.stringify({ status: 'ok', treasury_capacity: capacity, assets: [], rails: [], version: '1' })

const server = createServer((request, response) => {
  const [, , third = '0', fourth = '0'] = (request.socket.localAddress ?? '').split('.')
  const number = Number(third) * 250 + Number(fourth) - 1
  if (hang > 0 && (number + 1) % hang === 0) return
  if (number % 40 === 3) return void response.writeHead(503).end()
  const moving = Math.random() < 0.05 ? Math.floor(Math.random() * 1_000) : 0
  const body = bodyOf(number % 40 === 2 ? '50' : `${5_000 + (number % 997) * 60 + moving}.67`)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', 4096, () => process.send?.((server.address() as AddressInfo).port))
process.on('message', message => {
  hang = (message as { hang: number }).hang
  process.send?.('done')
})
process.on('disconnect', () => process.exit(0))
