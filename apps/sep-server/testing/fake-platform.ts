import { Networks, Transaction } from '@stellar/stellar-sdk/base'
import { verifyApiKey } from '@windlass/contracts/api-keys.ts'
import {
  linkWallet,
  proveWalletByLogin,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/customers.ts'
import { propagateKyc, queryKyc, resolveWallets } from '@windlass/contracts/internal.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { answer } from '@windlass/service/endpoint-route.ts'
import { Problem } from '@windlass/service/problem.ts'
import { createServer, type Server } from '@windlass/service/server.ts'

/** The platform's customer registry as an anchor meets it, in memory. */
export interface FakePlatform {
  server: Server
  url: string
  customers: Map<string, { status: KycStatus; wallets: Set<string> }>
  /** Logins (SEP-10 challenges) that were handed in as proof of a wallet. */
  logins: { customerId: string; transaction: string }[]
  /** Every report that anchors made. */
  reports: unknown[]
  keys: Map<string, { anchorId: string; scopes: ('read' | 'write' | 'webhooks')[] }>
  /** Answers 503 to everything while true. */
  down: boolean
}

/** The code that it "mails". */
export const MAILED_CODE = '424242'

export async function startFakePlatform(serviceSecret: string): Promise<FakePlatform> {
  const server = await createServer({
    name: 'platform',
    logger: createLogger('platform', 'silent'),
    documents: false,
    guards: {
      internal: request => {
        if (request.headers['x-service-secret'] !== serviceSecret) {
          throw new Problem('unauthenticated', 'No.')
        }
        return { kind: 'anchor', anchorId: 'a' }
      },
      customer: request => ({ customerId: request.cookies.ns_customer ?? '', sessionId: '', email: '' }),
    },
  })
  const customers: FakePlatform['customers'] = new Map()
  const platform: FakePlatform = {
    server,
    url: '',
    customers,
    logins: [],
    reports: [],
    keys: new Map(),
    down: false,
  }
  server.app.addHook('onRequest', async () => {
    if (platform.down) throw new Problem('dependency-unavailable', 'Down.')
  })
  const unknown = () => new Problem('customer-not-found', 'Unknown.')
  server.on(queryKyc).serve(({ query }) => {
    const found = [...customers].find(([, { wallets }]) => wallets.has(query.walletAddress))
    if (!found) throw unknown()
    const [customerId, { status }] = found
    return { customerId, status, verified: status === 'ACCEPTED', walletVerified: true }
  })
  server.on(propagateKyc).serve(({ body }) => {
    const customer = customers.get(body.customerId ?? '')
    if (!customer) throw unknown()
    platform.reports.push(body)
    customer.status = body.status as KycStatus
    return { ok: true, customerId: body.customerId ?? '', status: customer.status }
  })
  server.on(resolveWallets).serve(({ params }) => {
    const customer = customers.get(params.id)
    if (!customer) throw unknown()
    return { addresses: [...customer.wallets], wallets: [] }
  })
  server.on(verifyApiKey).serve(({ body }) => {
    const key = platform.keys.get(body.key)
    if (!key) throw new Problem('unauthenticated', 'No such key.')
    return { keyId: 'key_1', expiresAt: null, ...key }
  })
  server.on(requestCustomerCode).serve(() => ({ ok: true }))
  server.on(verifyCustomerCode).serve(({ body }) => {
    if (body.code !== MAILED_CODE) throw new Problem('code-not-accepted', 'Wrong code.')
    const id = `cus_${body.email}`
    if (!customers.has(id)) customers.set(id, { status: 'NEEDS_INFO', wallets: new Set() })
    const cookie = { name: 'ns_customer', value: id, options: { path: '/' } }
    return answer(
      200,
      { status: 'success' as const, user: { id, email: body.email }, isNew: true },
      { cookies: [cookie] },
    )
  })
  server.on(proveWalletByLogin).serve(({ principal, body: { transaction } }) => {
    const customerId = decodeURIComponent(principal.customerId)
    platform.logins.push({ customerId, transaction })
    const address = accountOf(transaction)
    customers.get(customerId)?.wallets.add(address)
    const createdAt = new Date().toISOString()
    return { id: 'w', address, label: '', network: 'testnet', verified: true, createdAt }
  })
  server.on(linkWallet).serve(({ principal, body }) => {
    customers.get(decodeURIComponent(principal.customerId))?.wallets.add(body.address)
    const { address } = body
    const createdAt = new Date().toISOString()
    return answer(201, { id: 'w', address, label: '', network: 'testnet', verified: false, createdAt })
  })
  platform.url = `http://localhost:${await server.listen(0)}`
  return platform
}

const accountOf = (transaction: string) =>
  new Transaction(transaction, Networks.TESTNET).operations[0]?.source ?? ''
