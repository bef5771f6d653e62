import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A faucet in front of the real one that can be shut. */
export interface Faucet {
  url: string
  /** What it does with requests; `open` passes them on. */
  mood: 'open' | 'limits rates' | 'hangs'
  stop(): Promise<void>
}

export async function startFaucet(behind: string): Promise<Faucet> {
  const server = createServer((request, response) => {
    if (faucet.mood === 'hangs') return
    if (faucet.mood === 'limits rates') return response.writeHead(429).end()
    const { search } = new URL(request.url ?? '/', 'http://faucet')
    void fetch(behind + search).then(answer => response.writeHead(answer.status).end())
  })
  const faucet: Faucet = {
    url: '',
    mood: 'open',
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  faucet.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return faucet
}
