import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * The business that the Anchor Platform asks for rates and customers, as cheap as it can be: it keeps nothing, and
 * exchanges one for one without a fee.
 */
const QUOTE_MS = 600_000

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://business')
  request.resume()
  request.on('end', () => {
    const answer = pathname === '/rate' ? { rate: rateOf(searchParams) } : customer
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})

const named = (description: string) => ({ type: 'string', description, status: 'ACCEPTED' })
const customer = {
  id: randomUUID(),
  status: 'ACCEPTED',
  provided_fields: { first_name: named('First name'), last_name: named('Last name') },
}

function rateOf(asked: URLSearchParams) {
  const amount = asked.get('sell_amount') ?? asked.get('buy_amount')
  const kept = { id: randomUUID(), expires_at: new Date(Date.now() + QUOTE_MS).toISOString() }
  return {
    ...(asked.get('type') === 'firm' ? kept : {}),
    ...{ price: '1', sell_amount: amount, buy_amount: amount },
    fee: { total: '0', asset: asked.get('sell_asset') },
  }
}

// Longer than those who ask keep their connections.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
