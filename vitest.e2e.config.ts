import { defineConfig } from 'vitest/config'

/** The real terraform binary against the built bundle: `vitest run -c vitest.e2e.config.ts`. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/harness/requirements.ts', 'test/e2e/build-bundle.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
