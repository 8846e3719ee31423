import { defineConfig } from 'vitest/config'

/** OpenTofu as client and as engine of the built bundle: `npm run test:tofu`. */
export default defineConfig({
  test: {
    include: ['test/tofu/**/*.test.ts'],
    globalSetup: ['test/e2e/build-bundle.ts', 'test/tofu/prepare.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
