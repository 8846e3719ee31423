import { defineConfig } from 'vitest/config'

/** The one test that reads sources only, for `npm run check`. */
export default defineConfig({ test: { include: ['test/architecture.test.ts'], pool: 'threads' } })
