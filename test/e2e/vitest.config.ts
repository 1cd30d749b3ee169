import { defineConfig } from 'vitest/config'

// Without FULL_TESTS, processes are killed at fewer random moments.
if (!process.env['FULL_TESTS']) {
  process.env['COMMAND_KILLS'] ??= '8'
  process.env['UPGRADE_KILLS'] ??= '6'
}

// Whole projects in temporary folders, from the built and packed packages. They are slow, so `npm test` does not run them.
export default defineConfig({
  test: {
    include: ['packages/*/test/e2e/**/*.e2e.ts', 'test/e2e/**/*.e2e.ts', 'checks/test/**/*.e2e.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    expect: { poll: { timeout: 60_000 } },
    // They wait for installations, browsers and servers.
    maxWorkers: 3,
  },
})
