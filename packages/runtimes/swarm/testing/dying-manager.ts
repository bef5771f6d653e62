import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Passes requests on to a manager. The answer to the change after so many others is lost, and then it answers none. */
export async function startDyingManager(manager: string, changes: number) {
  let left = changes
  const socketPath = new URL(manager).pathname
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url: path } = incoming
    if (left < 0) return void incoming.socket.destroy()
    if (method !== 'GET') left--
    const onward = request({ socketPath, path, method, headers }, answer => {
      if (left < 0) return void incoming.socket.destroy()
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `tcp://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
