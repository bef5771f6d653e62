import { createServer, request, type Server } from 'node:http'

/** The anchor's public host, as the reverse proxy serves it: business server and SEP server under one address. */
export async function startFront(port: number, sepPort: number, businessPort: number): Promise<Server> {
  // As long as the servers behind it say in the headers that it passes on: clients use a connection until then.
  const server = createServer({ keepAliveTimeout: 75_000 }, (incoming, outgoing) => {
    const path = incoming.url ?? '/'
    const business = ['/api/v1/', '/interactive/', '/kyc/'].some(prefix => path.startsWith(prefix))
    const target = business ? businessPort : sepPort
    const onward = request(
      // A connection each: one that was kept may be closed in the moment in which it is used again.
      {
        host: '127.0.0.1',
        port: target,
        method: incoming.method,
        path,
        headers: incoming.headers,
        agent: false,
      },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    // A server that answered before the end reads no more; the client's next request comes behind it.
    onward.on('close', () => incoming.unpipe(onward).resume())
    incoming.pipe(onward)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return server
}
