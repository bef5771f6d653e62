// Loaded before the official suite of anchor tests: leads it to an anchor and a ledger of this machine, as names and
// certificates of the public test network lead it elsewhere. The suite has no setting for either.
import http from 'node:http'
import https from 'node:https'

interface Asked extends http.RequestOptions {
  hostname: string
  path: string
}

/** A host, and the address at which it is found. */
const hosts: Record<string, string> = JSON.parse(process.env.SUITE_HOSTS ?? '{}')
const { request } = http

function requestOf(asked: Asked): http.ClientRequest {
  const target = new URL(hosts[asked.hostname] ?? '')
  return request({
    ...asked,
    protocol: 'http:',
    host: target.hostname,
    hostname: target.hostname,
    port: target.port,
    path: target.pathname.replace(/\/$/, '') + asked.path,
    // The ledger answers to names of this machine alone, the anchor to its own.
    headers: asked.hostname.endsWith('.localhost')
      ? { ...asked.headers, host: asked.hostname }
      : asked.headers,
  })
}

const leading = (asked: Asked): http.ClientRequest => {
  if (!hosts[asked.hostname])
    throw new Error(`the suite asked for ${asked.hostname}, which is not known here`)
  return requestOf(asked)
}
Object.assign(http, { request: leading })
Object.assign(https, { request: leading })
