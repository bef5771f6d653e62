import { publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { connect, type TLSSocket } from 'node:tls'

const WITHIN_MS = 10_000
/** Asked in one round; the others follow in the next ones. */
const MOST = 500

export interface Certificates {
  /** When the certificate of each host expires, in Unix seconds. */
  readonly expiries: ReadonlyMap<string, number>
  /** Looks at hosts' certificates, one after the other; of a host that does not answer the last known stays. */
  check(): Promise<void>
}

/** Watches the certificates with which `address` (`host:port`, where TLS ends) serves our hosts. */
export function watchCertificates(address: string, hosts: () => string[]): Certificates {
  const expiries = new Map<string, number>()
  let next = 0
  return {
    expiries,
    check: async () => {
      const all = hosts()
      for (const host of expiries.keys()) if (!all.includes(host)) expiries.delete(host)
      const round = Math.min(all.length, MOST)
      for (let done = 0; done < round; done++) {
        const host = all[next++ % all.length] ?? ''
        const expiry = await expiryOf(address, host).catch(() => null)
        if (expiry !== null) expiries.set(host, expiry)
      }
    },
  }
}

export function publishCertificates({ app: { metrics } }: Server, { expiries }: Certificates): void {
  publishGauge(metrics, {
    name: 'windlass_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of a host expires, in Unix seconds',
    labels: ['host'],
    read: () => [...expiries].map(([host, value]) => ({ labels: { host }, value })),
  })
}

/** Unix seconds. A certificate that is not valid any more has an expiry as well. */
async function expiryOf(address: string, host: string): Promise<number> {
  const { hostname, port } = new URL(`https://${address}`)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket: TLSSocket = connect(
    {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 443),
      servername: host,
      rejectUnauthorized: false,
    },
    () => resolve(Date.parse(socket.getPeerCertificate().valid_to) / 1_000),
  )
  socket.on('error', reject)
  socket.setTimeout(WITHIN_MS, () => reject(new Error('timed out')))
  return promise.finally(() => socket.destroy())
}
