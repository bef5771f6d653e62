import { reportWalletChecks, type WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import type { AnchorEvent, Removal } from '@windlass/contracts/platform/anchor-life.ts'
import * as contract from '@windlass/contracts/internal/control-plane.ts'
import type { ProvisionedAnchor } from '@windlass/contracts/internal/control-plane.ts'
import type { Job } from '@windlass/contracts/platform/provisioning.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { createServer } from '@windlass/service/http/server.ts'

type RemovalReport = Pick<Removal, 'id' | 'state' | 'export' | 'error'>

/** A stand-in for the platform API that records what it receives. */
export interface PlatformStandIn {
  url: string
  reports: { jobId: string; revision: number; job: Job }[]
  /** Registry rows, one for each job, after the last activation. */
  registry: Map<string, ProvisionedAnchor>
  secrets: Map<string, string>
  /** Reports of wallet compatibility checks, in the order of arrival. */
  walletChecks: { anchorId: string; report: WalletCheckReport }[]
  /** Reported events of active anchors, once for each id. */
  events: Map<string, AnchorEvent & { anchorId: string }>
  /** Removals with their reported states. */
  removals: { anchorId: string; told: RemovalReport }[]
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
    walletChecks: [],
    events: new Map(),
    removals: [],
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
  server.on(reportWalletChecks).serve(({ params, body }) => {
    up()
    stand.walletChecks.push({ anchorId: params.anchorId, report: body })
    return { ok: true }
  })
  server.on(contract.activateAnchor).serve(({ params, body }) => {
    up()
    stand.registry.set(params.jobId, body)
    return { ok: true }
  })
  server.on(contract.reportAnchorEvent).serve(({ params, body }) => {
    up()
    stand.events.set(body.id, { ...body, anchorId: params.anchorId })
    return { ok: true }
  })
  server.on(contract.reportRemoval).serve(({ params, body }) => {
    up()
    stand.removals.push({ anchorId: params.anchorId, told: body })
    return { ok: true }
  })
  stand.url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`
  return stand
}
