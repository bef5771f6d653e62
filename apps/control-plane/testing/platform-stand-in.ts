import { reportConformance, type ConformanceReport } from '@windlass/contracts/conformance.ts'
import * as contract from '@windlass/contracts/control-plane.ts'
import type { ProvisionedAnchor } from '@windlass/contracts/control-plane.ts'
import type { Job } from '@windlass/contracts/provisioning.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { unavailable } from '@windlass/service/problem.ts'
import { serviceSecretGuard } from '@windlass/service/realms.ts'
import { createServer } from '@windlass/service/server.ts'

/** The platform API's half of the contract, which only remembers what it was told. */
export interface PlatformStandIn {
  url: string
  reports: { jobId: string; revision: number; job: Job }[]
  /** Registry rows, one for each job, as the last activation left them. */
  registry: Map<string, ProvisionedAnchor>
  secrets: Map<string, string>
  /** What conformance checks found, in the order of arrival. */
  conformance: { anchorId: string; report: ConformanceReport }[]
  /** While true it answers 503. */
  down: boolean
  stop(): Promise<void>
}

export async function startPlatformStandIn(serviceSecret: string): Promise<PlatformStandIn> {
  const server = await createServer({
    name: 'platform stand-in',
    logger: createLogger('platform', 'silent'),
    guards: { service: serviceSecretGuard(serviceSecret) },
  })
  const stand: PlatformStandIn = {
    url: '',
    reports: [],
    registry: new Map(),
    secrets: new Map(),
    conformance: [],
    down: false,
    stop: () => server.close(),
  }
  const up = () => {
    if (stand.down) throw unavailable('The aggregator')
  }
  server.on(contract.reportProgress).serve(({ params, body }) => {
    up()
    stand.reports.push({ jobId: params.jobId, ...body })
    return { ok: true }
  })
  server.on(contract.announceAnchorSecret).serve(({ params, body }) => {
    up()
    stand.secrets.set(params.jobId, body.serviceSecretHash)
    return { ok: true }
  })
  server.on(reportConformance).serve(({ params, body }) => {
    up()
    stand.conformance.push({ anchorId: params.anchorId, report: body })
    return { ok: true }
  })
  server.on(contract.activateAnchor).serve(({ params, body }) => {
    up()
    stand.registry.set(params.jobId, body)
    return { ok: true }
  })
  stand.url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`
  return stand
}
