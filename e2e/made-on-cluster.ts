import { createClient } from '@windlass/client/client.ts'
import type { Job } from '@windlass/contracts/platform/provisioning.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { made } from '@windlass/windlass/demo/story.ts'
import type { ClusteredBusiness } from './clustered-business.ts'
import type { ClusteredStack } from './clustered-stack.ts'

/** What provisioning one anchor makes on a cluster, whatever failures occur in between. */
export const oneAnchor = (anchorId: string) => ({
  accounts: 3,
  trustlines: 1,
  issues: ['1000000.0000000'],
  databases: 1,
  roles: 3,
  services: [`windlass-${anchorId}-business 1/1`, `windlass-${anchorId}-sep 1/1`],
  networks: 1,
  registryEntries: 1,
})

interface Operation {
  type: string
  from?: string
  amount?: string
}

/** Counted at the sources: the ledger, the database server, the cluster, the registry. */
export async function countMade(
  { variables, docker }: ClusteredStack,
  { lines, nodesOf, containersOf }: ClusteredBusiness,
  { anchorId, job }: { anchorId: string; job: Job },
): Promise<ReturnType<typeof oneAnchor>> {
  const { issuer, distribution, signingKey, assetCode } = job.result
  const account = (key = '') => fetch(`${variables.HORIZON_URL}/accounts/${key}`)
  const found = await Promise.all([issuer, distribution, signingKey].map(account))
  const history = await fetch(
    `${variables.HORIZON_URL}/accounts/${distribution}/operations?limit=200&include_failed=true`,
  )
  const { _embedded } = (await history.json()) as { _embedded: { records: Operation[] } }
  const registry = createClient({ baseUrl: variables.AGGREGATOR_URL ?? '' })
  const { anchors } = await registry.call(listAnchors, { query: { asset: `${assetCode}:${issuer}` } })
  const ofAnchor = ['--filter', `label=windlass.anchor=${anchorId}`]
  const node = made((await nodesOf('windlass_control-plane'))[0], 'node with a control plane')
  const [container = ''] = await containersOf('windlass_control-plane', node)
  const counting = ['node', '--input-type=module', '--eval', COUNT_DATABASES, anchorId]
  const counted = await docker(['exec', container, ...counting], node)
  return {
    accounts: found.filter(({ ok }) => ok).length,
    trustlines: _embedded.records.filter(({ type }) => type === 'change_trust').length,
    issues: _embedded.records
      .filter(({ type, from }) => type === 'payment' && from === issuer)
      .map(({ amount = '' }) => amount),
    ...(JSON.parse(counted) as { databases: number; roles: number }),
    services: (await lines(['service', 'ls', ...ofAnchor, '--format', '{{.Name}} {{.Replicas}}'])).toSorted(),
    networks: (await lines(['network', 'ls', '--quiet', ...ofAnchor])).length,
    registryEntries: anchors.length,
  }
}

/** Runs in a container of the platform: nothing outside of the cluster reaches its Postgres. */
const COUNT_DATABASES = `
import { readFileSync } from 'node:fs'
import pg from 'pg'
const client = new pg.Client({ connectionString: readFileSync('/run/secrets/ANCHORS_DATABASE_URL', 'utf8').trim() })
await client.connect()
const count = async text => (await client.query(text, ['%' + process.argv[1] + '%'])).rows[0].count
console.log(JSON.stringify({
  databases: await count('select count(*)::int from pg_database where datname like $1'),
  roles: await count('select count(*)::int from pg_roles where rolname like $1'),
}))
await client.end()
`
