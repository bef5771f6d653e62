import { LOOPBACK, LOOPBACK_HOST } from './loopback.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '../http/server.ts'
import { fetchPart } from '../outbound/fetch-part.ts'

/** Address in the rehearsal's settings: nothing listens there. */
const NOWHERE = 'http://localhost:1'

/** The settings of an anchor that nobody has and that reaches nothing. */
export function rehearsalAnchor(account: string): AnchorConfig {
  return {
    plan: {
      anchorId: 'rehearsal00000000000',
      organizationName: 'Rehearsal',
      businessEmail: 'ops@rehearsal.example',
      subdomain: 'rehearsal',
      homeDomain: 'rehearsal.example',
      asset: { code: 'USD', name: 'Dollar', anchoredTo: 'USD', issued: '1' },
      rails: ['UPI', 'SEPA'],
      regions: ['IN'],
      settlement: 'instant',
      fees: { fixed: '0', percentage: '0' },
      limits: { min: '1', max: '10' },
    },
    accounts: { issuer: account, distribution: account, signing: account },
    publicUrl: 'http://rehearsal.example',
    network: { passphrase: 'rehearsal', horizonUrl: NOWHERE },
    platformUrl: NOWHERE,
    sepServerUrl: NOWHERE,
    businessServerUrl: NOWHERE,
    version: '0',
  }
}

/**
 * Asks a server of the rehearsal's anchor once for each path, and closes it: what building a server takes, and its first
 * answer, is compiled by then. A spare does it, for an anchor that someone wakes. Throws where a path is not answered with
 * 200.
 */
export async function rehearse({ app, close }: Server, paths: readonly string[]): Promise<void> {
  try {
    for (const path of paths) {
      const { statusCode, body } = await app.inject(path)
      if (statusCode !== 200) throw new Error(`the rehearsal of ${path} answered ${statusCode}: ${body}`)
    }
    await rehearseRequest()
  } finally {
    await close()
  }
}

/** The client by which a server reaches others: with a server that knows nothing and is gone at once. */
async function rehearseRequest(): Promise<void> {
  const server = createServer((_request, response) => response.end('{}'))
  await once(server.listen(0, LOOPBACK), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await fetchPart(`http://${LOOPBACK_HOST}:${port}`, {})
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const WORK_MS = 1_000

/** What a server does beside requests, over a database that has nothing: most of it ends early. */
export async function rehearseWork(workers: { stop(): Promise<void> }): Promise<void> {
  await sleep(WORK_MS)
  await workers.stop()
}
