import { defineConfig } from 'vitest/config'

/** The test suite of the Go client against the built bundle: `vitest run -c vitest.conformance.config.ts`. */
export default defineConfig({
  test: {
    include: ['test/conformance/**/*.test.ts'],
    globalSetup: ['test/e2e/build-bundle.ts', 'test/conformance/prepare.ts'],
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 3,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
