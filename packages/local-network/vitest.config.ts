import { defineConfig } from 'vitest/config'

/** All tests of this product. `npm test` of the repository runs those that Windlass needs (`vitest.config.ts` there). */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: Number(process.env.TEST_WORKERS) || 4,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // The environment of the caller must not steer the network under test.
    env: { NODE_ENV: 'test', TZ: 'UTC' },
  },
})
