import { listFleet } from '@windlass/contracts/platform/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import { activateAnchor, reportProgress } from '@windlass/contracts/internal/control-plane.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { getJobStatus, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from './testing/app.ts'
import { type TestServices, jobAt, stood, testServices } from './testing/services.ts'

let services: TestServices
let app: TestApp

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

it('walks an application to an active anchor that the aggregator knows', async () => {
  const founder = app.client()
  const companyProfile = { name: 'Mumbai Pay', businessEmail: 'Founder@Mumbai.example' }
  const application = await founder.call(submitApplication, { body: { companyProfile } })
  expect(application).toMatchObject({ status: 'applied', companyProfile, stellarConfig: {}, compliance: {} })

  const admin = await signInAdmin(app)
  const approval = await admin.call(approveApplication, { params: { id: application.id } })
  await app.drain()
  const mails = app.mails.filter(({ to }) => to === companyProfile.businessEmail)
  const isReceipt = ({ subject }: { subject: string }) =>
    subject === 'We received your application for an anchor'
  expect(mails.filter(isReceipt)).toHaveLength(1)
  const [invitation, ...others] = mails.filter(mail => !isReceipt(mail))
  expect(others).toEqual([])
  expect(invitation?.text).toContain(`http://localhost:4001/redeem#token=${approval.rawToken}`)

  const redeemed = await founder.call(redeemInvitation, {
    body: { token: approval.rawToken, subdomain: 'mumbai', fullName: 'Asha Rao', password: 'correct horse' },
  })
  expect(redeemed).toMatchObject({ subdomain: 'mumbai', homeDomain: 'mumbai.anchors.localhost' })
  const { jobId, anchorId } = redeemed
  const pending = await founder.call(getJobStatus, { params: { jobId } })
  expect(pending).toMatchObject({ status: 'pending', result: { stage: stageNames[0] } })

  await app.drain()
  expect(services.accepted).toEqual([
    { jobId, plan: expect.objectContaining({ anchorId, subdomain: 'mumbai' }) },
  ])
  const running = jobAt(jobId, 0, 'running')
  await app.service.call(reportProgress, { params: { jobId }, body: { revision: 1, job: running } })
  expect(await founder.call(getJobStatus, { params: { jobId } })).toMatchObject({ status: 'running' })
  expect(await admin.call(listFleet)).toMatchObject([{ id: anchorId, status: 'provisioning' }])

  await app.service.call(activateAnchor, { params: { jobId }, body: stood })
  expect(services.registered).toEqual([
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
      signingKey: stood.signingKey,
    },
  ])
  const completed = jobAt(jobId, stageNames.length, 'completed')
  await app.service.call(reportProgress, { params: { jobId }, body: { revision: 2, job: completed } })
  expect(await founder.call(getJobStatus, { params: { jobId } })).toMatchObject({
    status: 'completed',
    result: { stage: 'completed' },
  })
  expect(await admin.call(listFleet)).toMatchObject([
    { id: anchorId, status: 'active', issuer: stood.issuer },
  ])
})
