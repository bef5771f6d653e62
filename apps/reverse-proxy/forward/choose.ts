import { Problem } from '@windlass/service/http/problem.ts'
import type { IncomingMessage } from 'node:http'
import { hostOf } from '../routes/host.ts'
import { plainPath } from '../routes/path.ts'
import type { RouteTable } from '../routes/route-table.ts'

export interface Destination {
  target: string
  host: string
  /** One of our own services, which receives the proxy secret itself. */
  platform: boolean
}

/** Where a request goes. Throws a problem where it goes nowhere. */
export function chooseDestination(request: IncomingMessage, table: RouteTable): Destination {
  const host = hostOf(request.headers.host)
  const path = plainPath(request.url ?? '')
  if (host === null) throw new Problem('malformed-request', 'The Host header is missing or not a host.')
  if (path === null) throw new Problem('malformed-request', 'The path cannot be read.')
  const choice = table.choose(host, path)
  if (!choice) throw new Problem('no-such-host', `Nothing is served at ${host}.`)
  if (choice.target === null) throw new Problem('not-found', 'There is nothing at this address.')
  return { target: choice.target, host, platform: choice.kind === 'platform' }
}
