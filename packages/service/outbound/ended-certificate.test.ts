import { certificateOf } from '@windlass/testing/certificates.ts'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createOutbound, describeOutboundFailure } from './outbound.ts'

const DAY_MS = 86_400_000

/** What a host gives whose certificate ends then, to someone who trusts who issued it. */
async function ask(notAfter: Date): Promise<string> {
  const { key, cert } = await certificateOf('localhost', notAfter)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  const server = createServer({ key, cert }, (_request, response) => response.end('told'))
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  const outbound = createOutbound({ allowPrivate: true })
  onTestFinished(async () => {
    setDefaultCACertificates(trusted)
    await outbound.close()
    server.close()
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  return outbound.request(url).then(({ text }) => text, describeOutboundFailure)
}

it('a host whose certificate ended hears nothing, and the reason says so', async () => {
  expect(await ask(new Date(Date.now() + DAY_MS))).toBe('told')
  expect(await ask(new Date(Date.now() - DAY_MS))).toBe(
    'the host’s certificate is not valid (CERT_HAS_EXPIRED)',
  )
})
