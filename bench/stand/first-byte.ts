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

/** The smallest value that this share of all values does not exceed (nearest rank); 0.99 of a hundred: the second highest. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}
