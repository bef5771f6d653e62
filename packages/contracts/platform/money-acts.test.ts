import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as bank from '../anchor/bank-files.ts'
import * as developer from '../anchor/developer-api.ts'
import type { Endpoint } from '../endpoint.ts'
import { moneyActs } from './money-acts.ts'
import { defaultScopes, moneyScopes } from '../realm.ts'

const CONTRACTS = join(import.meta.dirname, '..')
const files = globSync('{,*/}*.ts', { cwd: CONTRACTS }).filter(name => !name.endsWith('.test.ts'))
const modules = await Promise.all(
  files.map(name => import(join(CONTRACTS, name)) as Promise<Record<string, unknown>>),
)
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'realm' in value && 'method' in value
const endpoints = [...new Set(modules.flatMap(each => Object.values(each)).filter(isEndpoint))]
const changing = endpoints.filter(({ method }) => method !== 'GET')
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** What operators change at an anchor that neither moves money nor says where it goes. */
const movesNothing = new Set([
  // A raised limit for acts of one person counts after a day; others are limits of customers.
  'PUT /api/v1/anchors/:anchorId/settings',
  'PUT /api/v1/anchors/:anchorId/customers/:id/tier',
  'POST /api/v1/anchors/:anchorId/logos',
  // It records nothing.
  'POST /api/v1/anchors/:anchorId/rails/:rail/csv-columns/preview',
  // It ends a wish.
  'POST /api/v1/anchors/:anchorId/rail-changes/:id/cancel',
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
  'POST /api/v1/anchors/:anchorId/transactions/:id/notes',
  'POST /api/v1/anchors/:anchorId/customers/:id/notes',
  'POST /api/v1/anchors/:anchorId/webhook-endpoints',
  'DELETE /api/v1/anchors/:anchorId/webhook-endpoints/:id',
  'POST /api/v1/anchors/:anchorId/webhook-endpoints/:id/test',
  'POST /api/v1/anchors/:anchorId/webhook-deliveries/:id/replay',
])

it('each act of an operator at an anchor is one that moves money, or is named as moving nothing', () => {
  const acts = new Set(moneyActs.map(({ person }) => person))
  const ofOperators = changing.filter(({ realm, path }) => realm === 'operator' && path.includes(':anchorId'))
  expect(ofOperators.length).toBeGreaterThan(30)
  const unnamed = ofOperators.filter(each => !acts.has(each) && !movesNothing.has(nameOf(each)))
  expect(unnamed.map(nameOf)).toEqual([])
  expect([...movesNothing].filter(name => !ofOperators.some(each => nameOf(each) === name))).toEqual([])
})

it('an act that asks for a person of a day says so, and all ask for a confirmation', () => {
  for (const { person, anyManager } of moneyActs) {
    const problems = new Set<string>(person.problems)
    expect([nameOf(person), problems.has('confirmation-needed')]).toEqual([nameOf(person), true])
    expect([nameOf(person), problems.has('forbidden')]).toEqual([nameOf(person), true])
    if (anyManager !== 'always')
      expect([nameOf(person), problems.has('second-person-needed')]).toEqual([nameOf(person), true])
  }
})

it('a key moves money only by a scope that no key has by default, and one kind of act each', () => {
  const money = new Set(moneyActs.flatMap(({ key }) => (key ? [key] : [])))
  const ofKeys = changing.filter(({ realm }) => realm === 'developer')
  expect(ofKeys.length).toBeGreaterThan(8)
  for (const each of ofKeys) {
    const scopes = each.scopes ?? []
    const isDefault = scopes.some(scope => (defaultScopes as readonly string[]).includes(scope))
    expect([nameOf(each), isDefault]).toEqual([nameOf(each), !money.has(each)])
    if (money.has(each)) expect([nameOf(each), scopes.length]).toEqual([nameOf(each), 1])
  }
  const byScope = Map.groupBy([...money], ({ scopes }) => scopes?.[0])
  expect(new Set(byScope.keys())).toEqual(new Set(moneyScopes))
  // Only the two that make and end one agreement share theirs.
  expect([...byScope].filter(([, acts]) => acts.length > 1).map(([scope]) => scope)).toEqual(['agreements'])
  expect(money).toContain(bank.decideStatementLine)
  expect(money).toContain(developer.resolveLedgerIncident)
})
