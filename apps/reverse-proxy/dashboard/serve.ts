import { refuseForeignHost, serveLocalPage } from '@windlass/service/http/local-page.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyInstance } from 'fastify'
import { hostOf } from '../routes/host.ts'
import type { RouteTable } from '../routes/route-table.ts'
import type { TargetHealth } from './target-health.ts'

interface DashboardOptions {
  table: RouteTable
  health: { of(target: string): TargetHealth; look(): void }
  /** Answers so far, by the first digit of their status (`2xx`). */
  answers: Readonly<Record<string, number>>
  /** Port of the proxy; part of the hosts' addresses where it is not 80. */
  port: number
}

const PAGE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'"

/** The page for people at `/`, what it shows as JSON at `/api/routes`, and `/ask` for on-demand TLS. */
export async function serveDashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const startedAt = new Date().toISOString()
  await serveLocalPage(app, new URL('./page/', import.meta.url), PAGE_CSP)
  app.get('/api/routes', { onRequest: refuseForeignHost }, (_request, reply) => {
    options.health.look()
    return reply.header('cache-control', 'no-store').send({ startedAt, ...overview(options) })
  })
  // Caddy asks whether it may obtain a certificate for a name (`on_demand_tls { ask … }`).
  app.get('/ask', async request => {
    const { domain } = request.query as { domain?: unknown }
    const host = typeof domain === 'string' ? hostOf(domain) : null
    if (host === null || !options.table.has(host)) {
      throw new Problem('no-such-host', 'Nothing is served at that name.')
    }
    return { ok: true }
  })
}

function overview({ table, health, answers, port }: DashboardOptions) {
  const routes = table.list()
  const suffix = port === 80 ? '' : `:${port}`
  return {
    port,
    answers,
    routes: routes.map(({ host, kind, label, rules }) => ({
      host,
      kind,
      label: label ?? null,
      url: `http://${host}${suffix}/`,
      rules,
    })),
    targets: table.targets().map(target => ({ target, ...health.of(target) })),
  }
}
