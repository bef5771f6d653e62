import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'

/** What goes wrong with a request; `undefined`: nothing. `unconditional`: it knows no If-None-Match. */
export type Fault = '500' | 'hang' | 'cut' | 'half' | 'forged' | 'unconditional'
type Choose = (request: IncomingMessage) => Fault | undefined

/** A store that speaks S3's protocol, behind a gate that causes faults. */
export interface BucketServer {
  settings: Record<string, string>
  /** Decides about each request from now on. */
  fail(choose: Choose): void
  close(): Promise<void>
}

export async function startBucketServer(bucket: string): Promise<BucketServer> {
  const directory = mkdtempSync(join(tmpdir(), 'windlass-bucket-'))
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  const { port } = await store.run()
  let choose: Choose = () => undefined
  const kept = new Set<string>()
  const gate = createServer((request, response) => {
    void pass(request, response, { port, kept, fault: choose(request) })
  })
  await once(gate.listen(0, '127.0.0.1'), 'listening')
  return {
    settings: {
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
      BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
      BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    fail: next => {
      choose = next
    },
    close: async () => {
      gate.closeAllConnections()
      gate.close()
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** What S3 says where the secret is wrong: the store behind the gate looks at the access key alone. */
const FORGED = '<Error><Code>SignatureDoesNotMatch</Code><Message>Wrong.</Message></Error>'

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { port, kept, fault }: { port: number; kept: Set<string>; fault: Fault | undefined },
): Promise<void> {
  if (fault === 'hang') return
  const isUpload = request.method === 'PUT'
  if (fault === 'cut' && isUpload) return void request.once('data', () => request.destroy())
  const body = await buffer(request)
  if (fault === '500') return void response.writeHead(500).end()
  if (fault === 'forged') return void response.writeHead(403).end(FORGED)
  const [object = ''] = (request.url ?? '').split('?')
  // The store behind the gate does not know it.
  const isConditional = request.headers['if-none-match'] === '*' && fault !== 'unconditional'
  if (isUpload && isConditional && kept.has(object)) return void response.writeHead(412).end()
  if (isUpload) kept.add(object)
  if (request.method === 'DELETE') kept.delete(object)
  const sent = fault === 'half' ? body.subarray(0, body.length / 2) : body
  const headers = { ...request.headers, 'content-length': String(sent.length) }
  if (!isUpload) delete (headers as IncomingMessage['headers'])['content-length']
  const { method, url } = request
  send({ host: '127.0.0.1', port, method, path: url, headers }, answer => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    if (fault === 'cut') answer.once('data', chunk => response.write(chunk, () => response.destroy()))
    else answer.pipe(response)
  }).end(sent)
}
