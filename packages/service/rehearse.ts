import { createServer, type On } from './server.ts'

/**
 * Serves endpoints to nobody and asks for each path once: what a server answers its first request with is compiled by then.
 * A spare does it, for an anchor that someone wakes. Throws where a path is not answered with 200.
 */
export async function rehearse(serve: (on: On) => void, paths: readonly string[]): Promise<void> {
  const server = await createServer({ name: 'rehearsal', cors: 'any', metrics: false })
  try {
    serve(server.on)
    for (const path of ['/health', '/health/live', ...paths]) {
      const { statusCode, body } = await server.app.inject(path)
      if (statusCode !== 200) throw new Error(`the rehearsal of ${path} answered ${statusCode}: ${body}`)
    }
  } finally {
    await server.close()
  }
}
