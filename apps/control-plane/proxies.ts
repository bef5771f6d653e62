import { createClient, type Client } from '@windlass/client/client.ts'
import { copiesOf, type Resolve } from '@windlass/service/outbound/copies.ts'

/** All copies of the reverse proxy. Each has its own routes, and knows only its own requests. */
export interface Proxies {
  /** Asks every copy. Rejects where one of them fails, once all have ended. */
  all<T>(ask: (proxy: Client) => Promise<T>): Promise<T[]>
  /** Asks every copy and leaves out those that fail, such as one on a node that is lost. Rejects where all do. */
  answering<T>(ask: (proxy: Client) => Promise<T>): Promise<T[]>
}

interface Settings {
  /** Its host has an address for each copy. */
  url: string
  headers: Record<string, string>
  resolve?: Resolve
}

export function createProxies({ url, headers, resolve }: Settings): Proxies {
  const askEach = async <T>(ask: (proxy: Client) => Promise<T>) => {
    const copies = await copiesOf(url, resolve)
    return Promise.allSettled(copies.map(baseUrl => ask(createClient({ baseUrl, headers }))))
  }
  const valuesOf = <T>(outcomes: PromiseSettledResult<T>[], enough: number): T[] => {
    const values = outcomes.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    if (values.length >= enough) return values
    throw outcomes.find(each => each.status === 'rejected')?.reason ?? new Error(`${url} has no address`)
  }
  return {
    all: async ask => {
      const outcomes = await askEach(ask)
      return valuesOf(outcomes, Math.max(1, outcomes.length))
    },
    answering: async ask => valuesOf(await askEach(ask), 1),
  }
}
