import { exampleOf } from '@windlass/api-documents/examples.ts'
import type { JsonSchema } from '@windlass/api-documents/json-schema.ts'
import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { moneyActs } from '@windlass/contracts/platform/money-acts.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let asked = 0
/** What an anchor's business server and the control plane are asked: nothing, where a person is refused. */
const elsewhere = createClient({
  baseUrl: '',
  fetch: async () => {
    asked += 1
    return Response.json({ code: 'not-found', detail: 'x', status: 404 }, { status: 404 })
  },
})
beforeAll(async () => {
  services = await testServices()
  app = await testApp({
    deps: { ...services.clients, controlPlane: elsewhere, anchorServer: () => elsewhere },
  })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

const refusals = ['anchor-not-found', 'forbidden', 'confirmation-needed', 'second-person-needed']

it('each act that moves money is refused unless the person is who the table asks for', async () => {
  const { jobId, anchorId } = await redeemed(app, 'money-acts', { businessEmail: 'owner@acts.example' })
  const body = { ...stood, serviceSecretHash: 'ae'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@acts.example')
  const { organizations } = await owner.call(getOperatorProfile)
  const organizationId = organizations[0]?.id ?? ''
  await owner.call(addMember, {
    params: { organizationId },
    body: { email: 'person@acts.example', role: 'admin' },
  })
  const person = await signInOperator(app, 'person@acts.example')
  const change = (text: string, ...values: unknown[]) =>
    app.database.pool.query(text, [person.user.id, ...values])

  const circumstances = fc.record({
    act: fc.constantFrom(...moneyActs),
    role: fc.constantFrom('owner', 'admin', 'member', null),
    confirmedMinutesAgo: fc.constantFrom(0, 10, 16, 600),
    managerForHours: fc.constantFrom(null, 0, 23, 25),
    approve: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(circumstances, async ({ act, role, confirmedMinutesAgo, managerForHours, approve }) => {
      const { person: endpoint, owner: ofOwners, anyManager } = act
      const now = app.clock.now()
      const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
      const since = managerForHours === null ? null : ago(managerForHours * 60)
      await change('delete from memberships where user_id = $1')
      if (role)
        await change(
          'insert into memberships (organization_id, user_id, role, manager_since, created_at) values ($2, $1, $3, $4, now())',
          ...[organizationId, role, since],
        )
      await change('update sessions set confirmed_at = $2 where subject = $1', ago(confirmedMinutesAgo))
      const example =
        endpoint.body && !endpoint.raw ? (exampleOf(endpoint.body as JsonSchema, {}) as object) : undefined
      const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      const params = Object.fromEntries(names.map(name => [name, name === 'account' ? 'G'.repeat(56) : 'x']))
      const refuses = anyManager === 'refuse' && !approve
      const before = asked
      const answer = await person
        .call(endpoint, {
          params: { ...params, anchorId },
          query: { fileName: 'x.xml', source: 'OFAC' },
          body: endpoint.raw ? Buffer.from('x') : anyManager === 'refuse' ? { ...example, approve } : example,
        } as never)
        .then(
          () => 'done',
          (error: { problem?: { code: string } }) => error.problem?.code ?? String(error),
        )
      const expected = !role
        ? 'anchor-not-found'
        : role === 'member' || (ofOwners && role !== 'owner')
          ? 'forbidden'
          : confirmedMinutesAgo > 15
            ? 'confirmation-needed'
            : anyManager !== 'always' && !refuses && managerForHours !== null && managerForHours < 24
              ? 'second-person-needed'
              : null
      expect([endpoint.path, refusals.includes(answer) ? answer : null]).toEqual([endpoint.path, expected])
      if (expected !== null) expect(asked).toBe(before)
    }),
    { numRuns: 300 },
  )
})
