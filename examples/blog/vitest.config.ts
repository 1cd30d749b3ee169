import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // All tests are one client: more than it may send in a minute.
    env: { RATE_LIMIT: 'off' },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
