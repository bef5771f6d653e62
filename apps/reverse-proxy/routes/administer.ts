import {
  listRoutes,
  type ProxyRoute,
  putRoute,
  removeRoute,
} from '@windlass/contracts/internal/proxy-routes.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { RouteTable } from './route-table.ts'
import { writeRoutes } from './routes-file.ts'
import { refuseTarget } from './target.ts'

/**
 * Routes set and removed by the control plane, on disk before they are acknowledged.
 *
 * @param follow reads what another process has written
 */
export function serveRoutes(on: On, table: RouteTable, file: string, follow: () => Promise<void>): void {
  const inTurn = queue(follow)
  on(listRoutes).serve(() => table.list().map(({ kind: _kind, ...route }) => route))

  on(putRoute).serve(({ params, body }) =>
    inTurn(async () => {
      if (params.host !== body.host) throw invalid('host', 'must be the host in the path')
      body.rules.forEach((rule, index) => {
        const wrong = rule.target === null ? null : refuseTarget(rule.target)
        if (wrong) throw invalid(`rules.${index}.target`, wrong)
      })
      refusePlatform(table, body.host)
      writeRoutes(file, [...others(table, body.host), body])
      table.set(body)
      return body
    }),
  )

  on(removeRoute).serve(({ params }) =>
    inTurn(async () => {
      refusePlatform(table, params.host)
      if (table.has(params.host)) writeRoutes(file, others(table, params.host))
      table.remove(params.host)
      return { ok: true }
    }),
  )
}

const others = (table: RouteTable, host: string): ProxyRoute[] =>
  table.kept().filter(route => route.host !== host)

function refusePlatform(table: RouteTable, host: string): void {
  if (!table.isPlatform(host)) return
  throw new Problem('route-not-changeable', `${host} is set in PROXY_HOSTS and cannot be changed here.`)
}

/** One after the other, so that each writes the file that the one before left. */
function queue(first: () => Promise<void>) {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(first).then(act)
    last = next.catch(() => undefined)
    return next
  }
}
