import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where requests are sent instead of to what the names of `*.localhost` stand for. */
export interface At {
  /** By default this machine. */
  host?: string
  port: string | number
  /** The authority that signs https there. */
  ca?: string
}

/**
 * Sends requests all the time, as clients that send nothing again; half of them keep their connections.
 *
 * @param at the reverse proxy, or Caddy, for every name that ends with `.localhost`
 */
export function startLoad(urls: readonly string[], at: At) {
  const failures: string[] = []
  let sent = 0
  let isOver = false
  const clients = urls.flatMap(url =>
    [true, false].map(async keepAlive => {
      const agent = at.ca ? new https.Agent({ keepAlive }) : new http.Agent({ keepAlive })
      for (; !isOver; sent++) {
        const failure = await ask(url, at, agent)
        if (failure) failures.push(`${new Date().toISOString()} ${url} ${failure}`)
        await sleep(20)
      }
      agent.destroy()
    }),
  )
  return {
    stop: async () => {
      isOver = true
      await Promise.all(clients)
      return { failures, sent }
    },
  }
}

/** What is wrong with the answer to one request, or null. */
export const askOnce = (url: string, at: At): Promise<string | null> =>
  ask(url, at, at.ca ? new https.Agent() : new http.Agent())

/** What is asked for exists. */
const isLost = (status: number) => status === 404 || status >= 500

/** What is wrong with the answer, or null. */
function ask(url: string, at: At, agent: http.Agent): Promise<string | null> {
  const { hostname, pathname, port, host } = new URL(url)
  const proxied = hostname.endsWith('.localhost')
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const options = {
    host: proxied ? (at.host ?? '127.0.0.1') : '127.0.0.1',
    port: proxied ? at.port : port,
    path: pathname,
    agent,
    headers: { host: proxied && !at.ca ? `${hostname}:${at.port}` : host },
    ...(at.ca && { ca: at.ca, servername: hostname }),
  }
  const request = (at.ca ? https : http).get(options, response => {
    const { statusCode = 0 } = response
    response.resume().once('end', () => resolve(isLost(statusCode) ? `answers ${statusCode}` : null))
    response.once('error', error => resolve(error.message))
  })
  request.once('error', error => resolve(error.message))
  return promise
}
