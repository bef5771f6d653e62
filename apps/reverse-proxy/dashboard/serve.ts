import { Problem } from '@windlass/service/problem.ts'
import { refuseForeignHost } from '@windlass/service/local-host.ts'
import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { RouteTable } from '../routes/route-table.ts'
import { hostOf } from '../routes/host.ts'
import type { TargetHealth } from './target-health.ts'

export interface DashboardOptions {
  table: RouteTable
  healthOf: (target: string) => TargetHealth
  /** Answers so far, by the first digit of their status. */
  answers: () => Record<string, number>
  /** Part of the hosts' addresses where it is not 80. */
  port: () => number
  startedAt: string
}

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'"
const assets = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
} as const

/** The page for people at `/`, what it shows as JSON at `/api/routes`, and `/ask` for on-demand TLS. */
export async function serveDashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const hidden = { schema: { hide: true }, onRequest: refuseForeignHost }
  for (const [path, [file, type]] of Object.entries(assets)) {
    const text = await readFile(new URL(`./page/${file}`, import.meta.url), 'utf8')
    app.get(path, hidden, (_request, reply) =>
      reply.type(type).header('content-security-policy', CSP).header('cache-control', 'no-cache').send(text),
    )
  }
  app.get('/api/routes', hidden, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(overview(options)),
  )
  // Caddy asks whether it may obtain a certificate for a name (`on_demand_tls { ask … }`).
  app.get('/ask', { schema: { hide: true } }, async request => {
    const { domain } = request.query as { domain?: unknown }
    const host = typeof domain === 'string' ? hostOf(domain) : null
    if (host === null || !options.table.has(host)) {
      throw new Problem('no-such-host', 'Nothing is served at that name.')
    }
    return { ok: true }
  })
}

function overview({ table, healthOf, answers, port, startedAt }: DashboardOptions) {
  const routes = table.list()
  const suffix = port() === 80 ? '' : `:${port()}`
  return {
    startedAt,
    port: port(),
    answers: answers(),
    routes: routes.map(({ host, kind, label, rules }) => ({
      host,
      kind,
      label: label ?? null,
      url: `http://${host}${suffix}/`,
      rules,
    })),
    targets: targetsOf(table).map(target => ({ target, ...healthOf(target) })),
  }
}

/** Every target of every route, once. */
export function targetsOf(table: RouteTable): string[] {
  const all = table.list().flatMap(route => route.rules.map(rule => rule.target))
  return [...new Set(all.filter(target => target !== null))]
}
