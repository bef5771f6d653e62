import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** The addresses that a name has. */
export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>

/**
 * The copies of a service, each by an address of its own: all that the name in `url` has. A certificate is one of the name, and both
 * addresses of `localhost` lead to one process: these have one.
 */
export async function copiesOf(
  url: string,
  resolve: Resolve = name => lookup(name, { all: true }),
): Promise<string[]> {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || hostname === 'localhost' || isIP(hostname) || hostname.startsWith('['))
    return [url]
  return (await resolve(hostname)).map(({ address, family }) => {
    const copy = new URL(url)
    copy.hostname = family === 6 ? `[${address}]` : address
    return copy.href.replace(/\/$/, '')
  })
}
