import { PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { declaredEndpoints, sendTo, walkEndpoints } from '@windlass/testing/walk.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { activeAnchor } from './testing/anchors.ts'
import { signInAdmin, testApp, type TestApp, testEnv } from './testing/app.ts'
import { signInAdministrator, signInCustomer, signInOperator } from './testing/sign-in.ts'

let app: TestApp
beforeAll(async () => (app = await testApp()))
afterAll(() => app.close())

it('gives nothing to a wrong credential or another tenant, and answers everything as its documents say', async () => {
  const all = await declaredEndpoints()
  const endpoints = all.filter(({ method, path }) => app.server.app.hasRoute({ method, url: path }))
  expect(endpoints.length).toBeGreaterThan(60)

  const owner = await signInOperator(app, 'owner@acme.test')
  const tenant = await activeAnchor(app, owner.user.id, 'acme')
  const other = await signInOperator(app, 'other@globex.test')
  const neighbour = await activeAnchor(app, other.user.id, 'globex')
  // The first may see the neighbour's anchor, so that there is something to answer.
  const signIns = [other]
  const signedIn = (signIn: () => Promise<{ cookies: { header(): string } }>) => {
    let cookie: Promise<string> | undefined
    return async (renew?: 'renew') => {
      if (renew) cookie = undefined
      cookie ??= signIn().then(({ cookies }) => cookies.header())
      return { cookie: await cookie }
    }
  }
  let asked = 0
  const faults = await walkEndpoints({
    endpoints,
    credentials: {
      operator: signedIn(async () => signIns.shift() ?? signInOperator(app, `${randomUUID()}@globex.test`)),
      customer: signedIn(() => signInCustomer(app, `${randomUUID()}@people.test`)),
      admin: signedIn(() => signInAdmin(app)),
      service: async () => ({ 'x-service-secret': testEnv.SERVICE_SECRET }),
      internal: async () => ({ 'x-service-secret': neighbour.secret }),
    },
    roles: {
      viewer: signedIn(() => signInAdministrator(app, 'viewer@windlass.test', 'viewer')),
      operator: signedIn(() => signInAdministrator(app, 'operator@windlass.test', 'operator')),
      owner: signedIn(() => signInAdmin(app)),
    },
    documents: ['platform', 'internal'],
    ownIds: { anchorId: neighbour.id, organizationId: neighbour.organizationId, userId: other.user.id },
    foreignIds: {
      id: [tenant.id, tenant.organizationId],
      anchorId: [tenant.id],
      organizationId: [tenant.organizationId],
      userId: [owner.user.id],
    },
    send: request => {
      // Each from an address of its own: limits are tested elsewhere.
      const address = `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked++ & 255}`
      const from = { [PROXY_SECRET_HEADER]: testEnv.PROXY_SECRET, 'x-forwarded-for': address }
      const headers = { ...request.headers, host: 'localhost:4000', ...from }
      return sendTo(app.server.app)({ ...request, headers })
    },
  })
  expect(faults).toEqual([])
}, 300_000)
