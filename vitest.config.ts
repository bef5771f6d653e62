import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { OLDEST_PROGRAMS } from './packages/testing/oldest-postgres.ts'
import { ALONE, LONG } from './packages/testing/test-files.ts'

/** What takes longest is begun first, so that no worker is left alone with it at the end. */
const LONGEST = [...ALONE, ...LONG]

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

/** `short` is `npm test`, `long` is `npm run test:long`: together they have every file once. All other modes choose by name. */
const filesOf = (mode: string) => ({
  alone: mode === 'long' ? LONG : alone,
  together:
    mode === 'long'
      ? []
      : ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'e2e/**/*.test.ts', 'bench/**/*.test.ts'],
  onOldest: mode === 'short' || !hasOldest ? [] : ON_OLDEST_POSTGRES,
  excluded: mode === 'short' ? [...excluded, ...LONG] : excluded,
})

export default defineConfig(({ mode }) => {
  const files = filesOf(mode)
  return {
    test: {
      globalSetup: ['packages/testing/throwaway-postgres.ts'],
      // Tests wait for servers, browsers and clusters almost half of their time.
      maxWorkers: Number(process.env.TEST_WORKERS) || 4,
      sequence: { sequencer: LongestFirst },
      teardownTimeout: 15_000,
      projects: [
        { test: { ...ours, name: 'alone', include: files.alone, exclude: files.excluded } },
        {
          test: {
            ...ours,
            name: 'together',
            include: files.together,
            exclude: [...files.excluded, ...alone, ofLocalNetworkAlone],
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
            include: files.onOldest,
            isolate: false,
          },
        },
      ],
    },
  }
})
