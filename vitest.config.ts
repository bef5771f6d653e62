import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.{ts,tsx}', 'apps/**/*.test.{ts,tsx}', 'e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.windlass/**'],
    globalSetup: ['packages/testing/throwaway-postgres.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env.TEST_WORKERS) || 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 15_000,
    // On a busy machine a second is nothing.
    expect: { poll: { timeout: 10_000 } },
    // The environment of whoever runs the tests must not steer the services under test.
    env: { NODE_ENV: 'test', TZ: 'UTC' },
  },
})
