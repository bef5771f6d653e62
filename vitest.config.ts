import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { OLDEST_PROGRAMS } from './packages/testing/oldest-postgres.ts'

/**
 * These have a process each. What takes longest is begun first, so that no worker is left alone with it at the end.
 * Files that mostly wait stand between those that compute.
 */
const LONGEST = [
  'e2e/containers.test.ts',
  'packages/runtimes/swarm/swarm.test.ts',
  'e2e/main-job.test.ts',
  'bench/bench.test.ts',
  'apps/windlass/backups/owner.test.ts',
  'apps/control-plane/provisioning/provisioning.test.ts',
  'apps/founder-console/workspace-screens.browser.test.ts',
  'apps/windlass/backups/stored-log.test.ts',
  'apps/control-plane/provisioning/existing-asset.test.ts',
  'apps/control-plane/provisioning/disturbances.test.ts',
  'apps/business-server/payments/bursts.test.ts',
  'apps/founder-console/founder-console.browser.test.ts',
  'apps/ledger-gateway/ledger-gateway.test.ts',
  'apps/control-plane/sleep/wakes.test.ts',
  'apps/admin-console/screens.browser.test.ts',
  'apps/sep-server/money.test.ts',
  'apps/sep-server/sep12/uploads.test.ts',
  'apps/sep-server/several-assets.test.ts',
  'apps/control-plane/reconciliation/reconcile.test.ts',
  'e2e/wallet-stories.test.ts',
  'apps/control-plane/provisioning/platform-faults.test.ts',
  'apps/founder-console/workspace.browser.test.ts',
  'apps/sep-server/money-kills.test.ts',
  'apps/sep-server/razorpay-kills.test.ts',
  'apps/windlass/release/release.test.ts',
  'e2e/published-packages.test.ts',
  'apps/control-plane/sleep/sleep.test.ts',
  'apps/control-plane/secret-rotation/rotation.test.ts',
  'apps/admin-console/admin-console.browser.test.ts',
  'apps/control-plane/provisioning/faults.test.ts',
  'apps/founder-console/prerender.browser.test.ts',
  'apps/sep-server/wallet-tests.test.ts',
  'apps/windlass/backups/backups.test.ts',
  'apps/customer-portal/customer-portal.browser.test.ts',
  'apps/aggregator/testing/restart.test.ts',
  'apps/sep-server/pages.browser.test.ts',
  'apps/windlass/stack.test.ts',
  'apps/control-plane/removal/removal.test.ts',
  'apps/control-plane/servers/upgrades/upgrades.test.ts',
  'apps/windlass/command-line.test.ts',
  'apps/aggregator/generated-clients.test.ts',
  'apps/aggregator/testing/cluster.test.ts',
  'apps/aggregator/ramp/ramp.browser.test.ts',
  'packages/runtimes/docker/docker.test.ts',
  'packages/api-documents/documents.test.ts',
  'apps/platform-api/walk.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex(file => moduleId.endsWith(file))
      return place === -1 ? LONGEST.length : place
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

// Every worker, and every process that a test starts, loads the same modules: compiled once, they load in half the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'windlass', 'compiled')

const ours = {
  pool: 'forks',
  // Only for what would never end: on a busy machine a minute is nothing.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // The environment of whoever runs the tests must not steer the services under test.
  env: { NODE_ENV: 'test', TZ: 'UTC' },
} as const
const excluded = ['**/node_modules/**', '**/dist/**', '**/.windlass/**']
/**
 * The local network is a product with a test command of its own (`npm run test:local-network`). What Windlass needs of
 * it is tested here too: that it starts, that clients understand it, and what it has for tests.
 */
const ofLocalNetworkAlone = 'packages/local-network/!(command|clients|for-tests).test.ts'
const alone = [...LONGEST, '**/*.browser.test.ts']

/** What depends on the version of Postgres: roles and their rights, migrations, locks and notifications. */
const ON_OLDEST_POSTGRES = [
  'apps/control-plane/servers/database.test.ts',
  'apps/control-plane/servers/template.test.ts',
  'apps/windlass/databases.test.ts',
  'packages/service/postgres/{postgres-version,database,listen}.test.ts',
  'packages/service/work/{claim-due,due-work,outbox}.test.ts',
]
const hasOldest = existsSync(OLDEST_PROGRAMS)
if (!hasOldest) console.warn('SKIPPED: tests on Postgres 15 (Debian 12: apt-get install postgresql-15)')

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/throwaway-postgres.ts'],
    // Tests wait for servers, browsers and clusters almost half of their time.
    maxWorkers: Number(process.env.TEST_WORKERS) || 4,
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 15_000,
    projects: [
      { test: { ...ours, name: 'alone', include: alone, exclude: excluded } },
      {
        test: {
          ...ours,
          name: 'together',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'e2e/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...excluded, ...alone, ofLocalNetworkAlone],
          // One process runs many of these files, one after another: loading a service's modules takes longer than
          // most of its tests. A file leaves nothing behind that another could notice.
          isolate: false,
        },
      },
      {
        test: {
          ...ours,
          name: 'on Postgres 15',
          globalSetup: ['packages/testing/oldest-postgres.ts'],
          include: hasOldest ? ON_OLDEST_POSTGRES : [],
          isolate: false,
        },
      },
    ],
  },
})
