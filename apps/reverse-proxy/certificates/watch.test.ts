import { certificateOf } from '@windlass/testing/certificates.ts'
import { metricIn } from '@windlass/testing/metrics.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createServer as createHttpServer } from '@windlass/service/http/server.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createSecureContext, createServer, type TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { publishCertificates, watchCertificates } from './watch.ts'

const DAY = 86_400_000

it('shows when the certificate of each host expires, and the last known while TLS is away', async () => {
  const whole = (time: number) => new Date(Math.floor(time / 1_000) * 1_000)
  const expiries: Record<string, Date> = {
    'api.example': whole(Date.now() + 10 * DAY),
    'old.example': whole(Date.now() - DAY),
  }
  const contexts = new Map(
    await Promise.all(
      Object.entries(expiries).map(
        async ([host, expiry]) => [host, createSecureContext(await certificateOf(host, expiry))] as const,
      ),
    ),
  )
  const tls = createServer({
    SNICallback: (host, done) => {
      const context = contexts.get(host)
      done(context ? null : new Error('no such host'), context)
    },
  })
  const open = new Set<TLSSocket>()
  tls.on('secureConnection', socket => open.add(socket.on('error', () => undefined)))
  await once(tls.listen(0, '127.0.0.1'), 'listening')
  let hosts = ['api.example', 'unknown.example', 'old.example']
  const certificates = watchCertificates(`127.0.0.1:${(tls.address() as AddressInfo).port}`, () => hosts)
  const server = await createHttpServer({ name: 'proxy', logger: createLogger('proxy', 'silent') })
  publishCertificates(server, certificates)
  const shown = async () =>
    metricIn((await server.app.inject('/metrics')).body, 'windlass_certificate_expiry_timestamp_seconds')
  const expected = Object.fromEntries(
    Object.entries(expiries).map(([host, expiry]) => [`host="${host}"`, expiry.getTime() / 1_000]),
  )

  await certificates.check()
  expect(await shown()).toEqual(expected)
  for (const socket of open) socket.destroy()
  await new Promise(resolve => tls.close(resolve))
  await certificates.check()
  expect(await shown()).toEqual(expected)
  hosts = ['old.example']
  await certificates.check()
  expect(Object.keys(await shown())).toEqual(['host="old.example"'])
})
