import { defineConfig } from 'vitest/config'

// Tests run from source. `import` and `require` are left to the resolver: named here they would
// reach Node's own require, which then loads the wrong half of packages that have both.
const conditions = ['@create-api/source', 'node']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/*/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // The runner would leave a processor idle, which on two of them is half of the machine.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
