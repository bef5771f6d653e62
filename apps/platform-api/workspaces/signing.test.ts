import { ProblemError } from '@windlass/client/client.ts'
import {
  getWorkspaceAudit,
  getWorkspaceSigning,
  setWorkspaceSigningLimits,
} from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { testApp, type TestApp } from '../testing/app.ts'
import { testServices, type TestServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'

let services: TestServices
let app: TestApp
let owner: Awaited<ReturnType<typeof signInOperator>>
let stranger: Awaited<ReturnType<typeof signInOperator>>
let params: { anchorId: string }
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  owner = await signInOperator(app, 'owner@signing.example')
  stranger = await signInOperator(app, 'stranger@signing.example')
  params = { anchorId: (await activeAnchor(app, owner.user.id, 'signing')).id }
})
afterAll(async () => {
  await app.close()
  await services.close()
})

const body = { perHour: '500', perPayment: '100', xlmPerHour: '10', destinations: null }
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )

describe('an anchor’s signing limits', () => {
  it('are read and set by its operator, and the audit log names them', async () => {
    expect(await owner.call(getWorkspaceSigning, { params })).toMatchObject({
      limits: services.signingLimits,
    })
    const set = await owner.call(setWorkspaceSigningLimits, { params, body })
    expect(set.limits).toEqual(body)
    expect(services.signingLimits).toEqual(body)
    const [entry] = await owner.call(getWorkspaceAudit, { params })
    expect(entry).toMatchObject({ action: 'anchor.signing-limits-set', details: body })
  })

  it('are set only after a fresh confirmation, and by nobody of another organization', async () => {
    const before = services.signingLimits
    const higher = { ...body, perHour: '1000000' }
    expect(await problemOf(stranger.call(getWorkspaceSigning, { params }))).toBe('404 anchor-not-found')
    expect(await problemOf(stranger.call(setWorkspaceSigningLimits, { params, body: higher }))).toBe(
      '404 anchor-not-found',
    )
    await app.database.pool.query(
      `update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`,
      [owner.user.id],
    )
    expect(await problemOf(owner.call(setWorkspaceSigningLimits, { params, body: higher }))).toBe(
      '403 confirmation-needed',
    )
    expect(services.signingLimits).toEqual(before)
  })
})
