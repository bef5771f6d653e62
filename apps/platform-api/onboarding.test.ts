import { listFleet } from '@windlass/contracts/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/applications.ts'
import { acceptJob, activateAnchor, reportProgress } from '@windlass/contracts/control-plane.ts'
import { redeemInvitation } from '@windlass/contracts/invitations.ts'
import { getJobStatus, type Job } from '@windlass/contracts/provisioning.ts'
import { registerAnchor, type Registration } from '@windlass/contracts/registry.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { serviceSecretGuard } from '@windlass/service/realms.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientOf, signInAdmin, testApp, testEnv, type TestApp } from './test-app.ts'

const secret = { 'x-service-secret': testEnv.SERVICE_SECRET }
const handedOver: { jobId: string; plan: AnchorPlan }[] = []
const registered: Registration[] = []
let neighbours: Server
let app: TestApp

beforeAll(async () => {
  neighbours = await createServer({
    name: 'neighbours',
    logger: createLogger('test', 'silent'),
    guards: { service: serviceSecretGuard(testEnv.SERVICE_SECRET) },
    documents: false,
  })
  app = await testApp({
    deps: { controlPlane: clientOf(neighbours, secret), aggregator: clientOf(neighbours, secret) },
  })
  neighbours.on(acceptJob).serve(async ({ body }) => {
    handedOver.push(body)
    return app.client().call(getJobStatus, { params: { jobId: body.jobId } })
  })
  neighbours.on(registerAnchor).serve(({ body }) => {
    registered.push(body)
    const now = new Date().toISOString()
    return {
      anchor: {
        ...body,
        limits: { min: '1', max: '1000000' },
        fees: { fixed: '0.5', percentage: '0.005' },
        treasury_capacity: '1000000',
        current_availability: true,
        domainVerified: true,
        lastCheckedAt: now,
        createdAt: now,
        updatedAt: now,
      },
    }
  })
})
afterAll(async () => {
  await app.close()
  await neighbours.close()
})

it('walks an application to an active anchor that the aggregator knows', async () => {
  const founder = app.client()
  const companyProfile = { name: 'Mumbai Pay', businessEmail: 'Founder@Mumbai.example' }
  const application = await founder.call(submitApplication, { body: { companyProfile } })
  expect(application).toMatchObject({ status: 'applied', companyProfile, stellarConfig: {}, compliance: {} })

  const admin = await signInAdmin(app)
  const approval = await admin.call(approveApplication, { params: { id: application.id } })
  await app.drain()
  expect(app.mails).toHaveLength(1)
  expect(app.mails[0]).toMatchObject({ to: companyProfile.businessEmail })
  expect(app.mails[0]?.text).toContain(`http://localhost:4001/redeem#token=${approval.rawToken}`)

  const redeemed = await founder.call(redeemInvitation, {
    body: { token: approval.rawToken, subdomain: 'mumbai', fullName: 'Asha Rao', password: 'correct horse' },
  })
  expect(redeemed).toMatchObject({ subdomain: 'mumbai', homeDomain: 'mumbai.anchors.localhost' })
  const { jobId, anchorId } = redeemed
  const pending = await founder.call(getJobStatus, { params: { jobId } })
  expect(pending).toMatchObject({ status: 'pending', result: { stage: 'Generating Stellar keys' } })

  await app.drain()
  expect(handedOver).toEqual([{ jobId, plan: expect.objectContaining({ anchorId, subdomain: 'mumbai' }) }])
  const running: Job = { ...pending, status: 'running', attempts: 1 }
  await app.service.call(reportProgress, { params: { jobId }, body: { revision: 1, job: running } })
  expect(await founder.call(getJobStatus, { params: { jobId } })).toMatchObject({ status: 'running' })
  expect(await admin.call(listFleet)).toMatchObject([{ id: anchorId, status: 'provisioning' }])

  const stood = {
    issuer: `G${'A'.repeat(55)}`,
    distribution: `G${'B'.repeat(55)}`,
    signingKey: `G${'C'.repeat(55)}`,
    apiUrl: 'http://127.0.0.1:20001',
    summarySecret: 'm'.repeat(40),
    serviceSecretHash: 'ab'.repeat(32),
    treasuryCapacity: '1000000',
  }
  await app.service.call(activateAnchor, { params: { jobId }, body: stood })
  expect(registered).toEqual([
    {
      id: anchorId,
      slug: 'mumbai',
      name: 'Mumbai Pay',
      domain: 'mumbai.anchors.localhost',
      apiUrl: stood.apiUrl,
      status: 'active',
      regions: ['IN'],
      assets: [{ code: 'MUMBAI', issuer: stood.issuer, anchoredTo: 'USD' }],
      rails: ['UPI'],
      limits: { min: '1', max: '1000000' },
      fees: { fixed: '0.5', percentage: '0.005' },
      settlement: 'instant',
      treasury_capacity: '1000000',
      summarySecret: stood.summarySecret,
    },
  ])
  const completed: Job = {
    ...running,
    status: 'completed',
    stage: 'completed',
    result: { ...running.result, stage: 'completed' },
  }
  await app.service.call(reportProgress, { params: { jobId }, body: { revision: 2, job: completed } })
  expect(await founder.call(getJobStatus, { params: { jobId } })).toMatchObject({
    status: 'completed',
    result: { stage: 'completed' },
  })
  expect(await admin.call(listFleet)).toMatchObject([
    { id: anchorId, status: 'active', issuer: stood.issuer },
  ])
})
