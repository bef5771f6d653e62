import Fastify, { type FastifyError, type FastifyReply } from 'fastify'
import type { AddressInfo } from 'node:net'
import { requireOwnHost } from '../horizon/hosts.ts'
import { HorizonProblem } from '../horizon/problems.ts'
import { UnusableFaults } from './faults.ts'
import type { FaultsInEffect } from './instances.ts'

interface Controls {
  faults(): FaultsInEffect
  setFaults(faults: unknown): Promise<FaultsInEffect>
  close(): number
  reset(): void
}

/**
 * Serves what tests and operators change on a running network. It listens on 127.0.0.1 whatever Horizon listens
 * at, answers only to this machine's names, and takes JSON only, so that no web site can call it.
 */
export async function startAdmin(
  controls: Controls,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app = Fastify({ logger: { level: 'error' }, bodyLimit: 64 * 1024, forceCloseConnections: true })
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async request => {
    requireOwnHost(request, [])
    if (request.headers.origin !== undefined) throw refusal(403, 'Web pages cannot use the admin API.')
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply))
  app.setNotFoundHandler((_request, reply) => answerError(refusal(404, 'The path does not exist.'), reply))

  app.get('/faults', () => controls.faults())
  app.put('/faults', request => controls.setFaults(request.body ?? {}))
  app.delete('/faults', () => controls.setFaults({}))
  app.post('/ledgers', () => ({ sequence: controls.close() }))
  app.post('/reset', (_request, reply) => {
    controls.reset()
    return reply.code(204).send()
  })

  await app.listen({ host: '127.0.0.1', port })
  const { port: bound } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${bound}`, close: () => app.close() }
}

const refusal = (status: number, detail: string) => Object.assign(new Error(detail), { statusCode: status })

function answerError(error: Error, reply: FastifyReply): void {
  const statusCode = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  const unusable = error instanceof UnusableFaults || ('code' in error && error.code === 'EADDRINUSE')
  const status = error instanceof HorizonProblem ? error.status : unusable ? 400 : statusCode
  if (status === 500) reply.log.error(error)
  void reply
    .code(status)
    .type('application/problem+json')
    .send({
      title: status === 500 ? 'Internal Server Error' : 'Request refused',
      status,
      detail: error.message,
    })
}
