import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'

/** The request that an attacker hides in the body or behind the head of another one. */
const HIDDEN = 'POST /hidden HTTP/1.1\r\nHost: victim.localhost\r\nContent-Length: 0\r\n\r\n'
const CHUNKED_HIDDEN = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`
const EMPTY_THEN_HIDDEN = `0\r\n\r\n${HIDDEN}`

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Headers and body, after the request line and Host. Each must be refused, whatever the method. */
const REFUSED: Record<string, string> = {
  'length and chunks': `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'chunks and length': `Transfer-Encoding: chunked\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a length named in Connection': `Connection: content-length\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'chunks named in Connection': `Connection: keep-alive, Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED_HIDDEN}`,
  'a host named in Connection': 'Connection: host\r\n\r\n',
  'two lengths': `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'the same length twice': `Content-Length: ${HIDDEN.length}\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'a list of lengths': `Content-Length: 0, ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'a signed length': `Content-Length: +${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'two codings': `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'chunks twice': `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'an unknown coding': `Transfer-Encoding: xchunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a coding before chunks': `Transfer-Encoding: gzip, chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a space before the colon': `Transfer-Encoding : chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a folded coding': `Transfer-Encoding:\r\n chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a folded header': `X-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'a bare line feed': `X-A: 1\nTransfer-Encoding: chunked\r\n\r\n${EMPTY_THEN_HIDDEN}`,
  'two hosts': 'Host: victim.localhost\r\n\r\n',
  'an extension that ends a chunk size early': `Transfer-Encoding: chunked\r\n\r\n0;a\nb\r\n\r\n${HIDDEN}`,
  'a chunk size that is no number': `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${HIDDEN}`,
}

/** A complete body that only looks like a request. */
const WITH_BODY: Record<string, string> = {
  'a length': `Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  chunks: `Transfer-Encoding: chunked\r\n\r\n${CHUNKED_HIDDEN}`,
  'an upgrade with a length': `Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  'an expectation': `Expect: 100-continue\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
}

interface FramingAttack {
  name: string
  /** The bytes sent on one connection. */
  bytes: string
  /** True: refused, and nothing reaches the server behind. False: one request with its body does. */
  refused: boolean
}

/** Every method with every framing, for a listener that serves `host` and forwards `path`. */
export function framingAttacks(host: string, path: string): FramingAttack[] {
  return METHODS.flatMap(method => {
    const head = (target: string) => `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n`
    const bodyless = method === 'GET' || method === 'HEAD' || method === 'TRACE'
    const attacks = (framings: Record<string, string>, refused: boolean): FramingAttack[] =>
      Object.entries(framings).map(([name, rest]) => ({
        name: `${method} with ${name}`,
        bytes: head(path) + rest,
        refused,
      }))
    return [
      ...attacks(REFUSED, true),
      ...attacks(WITH_BODY, bodyless),
      {
        name: `${method} with the address of another host`,
        bytes: `${head(`http://victim.localhost${path}`)}\r\n`,
        refused: true,
      },
    ]
  })
}

interface SeenRequest {
  method: string
  url: string
  body: string
}

interface RecordingServer {
  url: string
  seen: SeenRequest[]
  close(): void
}

/** A server that records every request except `GET /health`, parsed as the services behind our listeners do. */
export async function recordingServer(): Promise<RecordingServer> {
  const seen: SeenRequest[] = []
  const server: Server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (url !== '/health') seen.push({ method, url, body: Buffer.concat(chunks).toString() })
    response.end('seen')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Sends `attack` on its own connection and then, as another client, a plain request. Returns the fault, or null: a
 * refused request gets a 4xx or a closed connection and never reaches the server behind; no hidden request does; the
 * other client gets its own response.
 */
export async function tryAttack(
  port: number,
  attack: FramingAttack,
  behind: RecordingServer,
  next: { host: string; path: string },
): Promise<string | null> {
  behind.seen.length = 0
  const answer = (await exchange(port, attack.bytes)).replace(CONTINUE, '')
  const own = await exchange(
    port,
    `GET ${next.path} HTTP/1.1\r\nHost: ${next.host}\r\nConnection: close\r\n\r\n`,
  )
  const others = behind.seen.filter(({ url }) => url !== next.path)
  const [first] = others
  if (behind.seen.some(({ url }) => url.includes('/hidden'))) return 'the hidden request was seen'
  if (!own.startsWith('HTTP/1.1 200')) return `the next client was answered ${own.split('\r\n')[0]}`
  if (!attack.refused && (others.length !== 1 || first?.body !== HIDDEN))
    return 'its body did not arrive whole'
  if (attack.refused && others.length > 0) return `${first?.method} ${first?.url} was seen`
  if (attack.refused && answer !== '' && !/^HTTP\/1\.1 4\d\d/.test(answer))
    return answer.split('\r\n')[0] ?? ''
  return null
}

/** The response, until the listener closes the connection, pauses after it, or stays silent. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise(resolve => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.setTimeout(3_000, () => socket.destroy())
    socket.on('data', part => {
      answer += part.toString('latin1')
      if (!answer.endsWith(CONTINUE)) socket.setTimeout(50)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}
