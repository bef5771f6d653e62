import { createServer } from 'node:http'

/*
 * Every anchor of the benchmark in one process of its own: each is a host under 127.0.0.0/8, told apart by the
 * address it was reached at. On a message `{ hang: n }` every nth of them stops answering, 0: none.
 */

let hang = 0
const body = JSON.stringify({
  status: 'ok',
  treasury_capacity: '12345.67',
  assets: [],
  rails: [],
  version: '1',
})

const server = createServer((request, response) => {
  const [, , third = '0', fourth = '0'] = (request.socket.localAddress ?? '').split('.')
  if (hang > 0 && (Number(third) * 250 + Number(fourth)) % hang === 0) return
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.env.FLEET_PORT), '0.0.0.0', 4096, () => process.send?.('ready'))
process.on('message', message => {
  hang = (message as { hang: number }).hang
  process.send?.('done')
})
process.on('disconnect', () => process.exit(0))
