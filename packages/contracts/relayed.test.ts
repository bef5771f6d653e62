import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { canMoveMoney, closedScopes, defaultScopes, moneyScopes } from './realm.ts'
import type { RelayedEndpoint } from './relayed.ts'

const files = globSync('{,*/}*.ts', { cwd: import.meta.dirname }).filter(name => !name.endsWith('.test.ts'))
const modules = await Promise.all(
  files.map(name => import(join(import.meta.dirname, name)) as Promise<Record<string, unknown>>),
)
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'realm' in value && 'method' in value
const endpoints = [...new Set(modules.flatMap(each => Object.values(each)).filter(isEndpoint))]
const changing = endpoints.filter(({ method }) => method !== 'GET')
const ofFounders = changing.filter(({ realm, path }) => realm === 'operator' && path.includes(':anchorId'))
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** They only read: a request that is repeated does nothing. */
const reads = [
  'POST /admin/journal/manual-entries/:id/document',
  'POST /admin/payout-files/:id/download',
  'POST /admin/payout-files/:id/sheet',
  'POST /admin/person-transactions',
  'POST /admin/statements/:id/file',
]

it('what the platform asks of an anchor is done once, although who hears it sends it again', () => {
  const repeated = changing.filter(({ realm, idempotent }) => realm === 'anchor-admin' && !idempotent)
  expect(repeated.map(nameOf).sort()).toEqual(reads)
})

/** What founders change at an anchor for which no second person is needed: it neither moves money nor says where it goes. */
const movesNothing = new Set([
  // A raised limit for acts of one person counts after a day; others are limits of customers.
  'PUT /api/v1/anchors/:anchorId/settings',
  'PUT /api/v1/anchors/:anchorId/customers/:id/tier',
  'POST /api/v1/anchors/:anchorId/logos',
  // It records nothing.
  'POST /api/v1/anchors/:anchorId/rails/:rail/csv-columns/preview',
  // It shows the accounts of customers.
  'POST /api/v1/anchors/:anchorId/payout-files/:id/sheet',
  // It shows what the bank wrote.
  'POST /api/v1/anchors/:anchorId/statements/:id/file',
  // It shows what an entry of the journal rests on.
  'POST /api/v1/anchors/:anchorId/journal/manual-entries/:id/document',
  // Two people approved the file before.
  'POST /api/v1/anchors/:anchorId/payout-files/:id/download',
  // It says who opens customers' data once the anchor is removed.
  'PUT /api/v1/anchors/:anchorId/export-key',
  // They only stop money, or end a wish.
  'POST /api/v1/anchors/:anchorId/payout-files/:id/cancel',
  'DELETE /api/v1/anchors/:anchorId/sending-anchors/:account',
  'POST /api/v1/anchors/:anchorId/rail-changes/:id/cancel',
  'POST /api/v1/anchors/:anchorId/waiting-acts/:id/reject',
  // A key that moves money is created and rolled by who could move it.
  'POST /api/v1/anchors/:anchorId/api-keys',
  'POST /api/v1/anchors/:anchorId/api-keys/:id/roll',
  'DELETE /api/v1/anchors/:anchorId/api-keys/:id',
  'POST /api/v1/anchors/:anchorId/developer-requests',
  'PUT /api/v1/anchors/:anchorId/notification-preferences',
  'POST /api/v1/anchors/:anchorId/notification-webhooks',
  'DELETE /api/v1/anchors/:anchorId/notification-webhooks/:id',
  'POST /api/v1/anchors/:anchorId/notification-webhooks/:id/test',
  'POST /api/v1/anchors/:anchorId/test-deposits',
  'POST /api/v1/anchors/:anchorId/wallet-checks',
  'POST /api/v1/anchors/:anchorId/reconciliation',
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/assign',
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/resolve',
  // What an account is called at the accountant's.
  'PUT /api/v1/anchors/:anchorId/journal/accounts/:account',
  'POST /api/v1/anchors/:anchorId/journal/closes',
  // They look into what is held, and release nothing.
  'POST /api/v1/anchors/:anchorId/cases',
  'POST /api/v1/anchors/:anchorId/cases/:id/notes',
  'PUT /api/v1/anchors/:anchorId/cases/:id/plan',
  'POST /api/v1/anchors/:anchorId/cases/:id/close',
  // They say what was done, for regulators.
  'POST /api/v1/anchors/:anchorId/registers/:register',
  'POST /api/v1/anchors/:anchorId/registers/:register/:id/steps',
  'PUT /api/v1/anchors/:anchorId/report-settings',
  'POST /api/v1/anchors/:anchorId/customers/:id/beneficial-owners',
  'POST /api/v1/anchors/:anchorId/beneficial-owners/:id/end',
  'POST /api/v1/anchors/:anchorId/transactions/:id/notes',
  'POST /api/v1/anchors/:anchorId/customers/:id/notes',
  'POST /api/v1/anchors/:anchorId/webhook-endpoints',
  'DELETE /api/v1/anchors/:anchorId/webhook-endpoints/:id',
  'POST /api/v1/anchors/:anchorId/webhook-endpoints/:id/test',
  'POST /api/v1/anchors/:anchorId/webhook-deliveries/:id/replay',
])

it('each act of a founder at an anchor says who may do it, and needs a second person or is named as moving nothing', () => {
  expect(ofFounders.length).toBeGreaterThan(50)
  expect(ofFounders.filter(({ who }) => !who).map(nameOf)).toEqual([])
  const alone = ofFounders.filter(({ secondPerson }) => !secondPerson)
  expect(new Set(alone.map(nameOf))).toEqual(movesNothing)
})

it('what needs a second person is for owners and admins who have just confirmed', () => {
  for (const act of ofFounders.filter(({ secondPerson }) => secondPerson))
    expect([nameOf(act), act.who === 'member', act.confirm]).toEqual([nameOf(act), false, true])
})

it('a key moves money only by a scope that no key has by default, and one kind of act each', () => {
  const ofKeys = changing.filter(({ realm }) => realm === 'developer')
  expect(ofKeys.length).toBeGreaterThan(8)
  const money = ofKeys.filter(({ scopes = [] }) => scopes.every(scope => canMoveMoney([scope])))
  // The acts of people that a key can do are at the same path of the anchor's own API.
  const ofPeople = ofFounders.flatMap(act =>
    'at' in act ? [act as RelayedEndpoint<Endpoint, Endpoint>] : [],
  )
  const twins = ofPeople.flatMap(({ at, secondPerson }) =>
    ofKeys
      .filter(({ method, path }) => method === at.method && path === at.path.replace('/admin/', '/api/v1/'))
      .map(key => ({ key, secondPerson })),
  )
  expect(twins.length).toBeGreaterThan(6)
  for (const { key, secondPerson } of twins)
    if (secondPerson) expect([nameOf(key), money.includes(key)]).toEqual([nameOf(key), true])
  const twinned = new Set(twins.map(({ key }) => key))
  expect(money.filter(key => !twinned.has(key)).map(nameOf)).toEqual([])
  for (const key of ofKeys) {
    const isDefault = key.scopes?.some(scope => (defaultScopes as readonly string[]).includes(scope))
    const isClosed = key.scopes?.some(scope => (closedScopes as readonly string[]).includes(scope))
    expect([nameOf(key), isDefault]).toEqual([nameOf(key), !money.includes(key) && !isClosed])
  }
  for (const { scopes = [], path } of money) expect([path, scopes.length]).toEqual([path, 1])
  const byScope = Map.groupBy(money, ({ scopes }) => scopes?.[0])
  expect(new Set(byScope.keys())).toEqual(new Set(moneyScopes))
  // Only the two that make and end one agreement share theirs.
  expect([...byScope].filter(([, acts]) => acts.length > 1).map(([scope]) => scope)).toEqual(['agreements'])
})
