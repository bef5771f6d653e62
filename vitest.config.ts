import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes minutes and mostly waits is begun first: the rest is tested beside it. */
const LONG = 'e2e/containers.test.ts'

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith(LONG)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['packages/**/*.test.{ts,tsx}', 'apps/**/*.test.{ts,tsx}', 'e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.windlass/**'],
    globalSetup: ['packages/testing/throwaway-postgres.ts'],
    pool: 'forks',
    // Tests wait for servers and browsers a third of their time.
    maxWorkers: Number(process.env.TEST_WORKERS) || 3,
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 15_000,
    // On a busy machine a second is nothing.
    expect: { poll: { timeout: 20_000 } },
    // The environment of whoever runs the tests must not steer the services under test.
    env: { NODE_ENV: 'test', TZ: 'UTC' },
  },
})
