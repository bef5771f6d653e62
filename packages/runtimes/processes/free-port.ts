import { loopbackAddresses } from '@windlass/service/process/loopback.ts'
import { createServer } from 'node:net'

/** Whether a server could listen on the port on both loopback addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  const free = await Promise.all(loopbackAddresses().map(host => canListen(port, host)))
  return free.every(Boolean)
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    // Without IPv6 nothing can listen there.
    const absent = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
    server.once('error', (error: NodeJS.ErrnoException) => resolve(absent.has(error.code ?? '')))
    server.listen({ port, host }, () => server.close(() => resolve(true)))
  })
}
