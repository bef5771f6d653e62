import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Lie {
  /** Changes a body that Horizon sends; null: as it is; 404: there is none. */
  tell(path: string, body: string): string | null | 404
  told: number
  /** Whether the answers to submissions are lost, after they were passed on. */
  losesSubmissions?: boolean
  /** What is answered to a submission (its form) that is not passed on; absent: it is. */
  keeps?(form: string): string
}

/** A proxy in front of a Horizon that lies. Returns its address. */
export async function startLiar(horizonUrl: string, lie: Lie): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isSubmission = request.method === 'POST'
    if (isSubmission && lie.keeps)
      return void response.writeHead(201).end(lie.keeps(Buffer.concat(chunks).toString()))
    const answer = await fetch(horizonUrl + request.url, {
      ...(isSubmission ? { method: 'POST', body: Buffer.concat(chunks) } : {}),
      headers: {
        accept: 'application/json',
        'content-type': request.headers['content-type'] ?? 'text/plain',
      },
    })
    const body = await answer.text()
    if (isSubmission && lie.losesSubmissions) return void response.writeHead(504).end('{}')
    const told = lie.tell(request.url ?? '', body)
    if (told !== null) lie.told++
    if (told === 404) return void response.writeHead(404).end('{}')
    const latest = answer.headers.get('latest-ledger')
    response
      .writeHead(told === null ? answer.status : 200, latest ? { 'latest-ledger': latest } : {})
      .end(told ?? body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
