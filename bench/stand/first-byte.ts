import { request } from 'node:http'

const WALLET = 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H'

/** Asks an anchor's home domain for a challenge (SEP-10) through the reverse proxy. */
export function firstByte(
  { PROXY_PORT: port }: Readonly<Record<string, string>>,
  host: string,
): Promise<{ status: number; ms: number }> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: `/auth?account=${WALLET}`, headers: { host } }, response => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, ms: performance.now() - began })
    })
      .on('error', reject)
      .end()
  })
}
