import { defineConfig } from 'vitest/config'

// Servers are on SQLite, which a restarted server takes up at once. The tests with two servers ask for PostgreSQL by this name.
const postgres = process.env['TERRANE_TEST_DATABASE_URL']
delete process.env['TERRANE_TEST_DATABASE_URL']
if (postgres !== undefined) process.env['TERRANE_CHAOS_DATABASE_URL'] = postgres

/** What may die or fill up while runs are under way, against the built bundle: `npm run test:chaos`. One file at a time, as some measure. */
export default defineConfig({
  test: {
    include: ['test/chaos/**/*.test.ts'],
    globalSetup: ['test/e2e/build-bundle.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
