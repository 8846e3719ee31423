import { defineConfig } from 'vitest/config'

/** Pages in a real Chromium, against the built bundle: `npm run test:ui`. */
export default defineConfig({
  test: {
    include: ['test/ui/**/*.test.ts'],
    globalSetup: ['test/e2e/build-bundle.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
