import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { unavailable } from '@windlass/service/problem.ts'

/** SEP-1: the file as the control plane wrote it, readable by pages of every origin. */
export function serveDiscoveryFile(app: FastifyInstance, path: string): void {
  app.get('/.well-known/stellar.toml', async (_request, reply) => {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw unavailable('The discovery file', cause)
    })
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=10').send(text)
  })
}
