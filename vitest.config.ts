import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

// Tests run from source. `import` and `require` are left to the resolver: named here they would
// reach Node's own require, which then loads the wrong half of packages that have both.
const conditions = ['@create-api/source', 'node']

// What only some tests need, such as client generators and Redis, is not installed with the repository.
const modulesOfChecks = fileURLToPath(new URL('checks/node_modules', import.meta.url))
const hasChecks = existsSync(modulesOfChecks)
// Core loads an optional package, such as `redis`, by `require`, which looks here last.
if (hasChecks) {
  const folders = [modulesOfChecks, process.env['NODE_PATH']].filter(Boolean)
  process.env['NODE_PATH'] = folders.join(path.delimiter)
}

// How often random tests repeat. The workflows set FULL_TESTS, which leaves the counts of the tests themselves; each variable
// can also be set for a single run.
const shortCounts: Readonly<Record<string, string>> = {
  ACCESS_RUNS: '100',
  ACCIDENT_TRIALS: '3',
  AUDIT_VALUES: '100',
  BULK_KILLS: '6',
  BYTES_CASES: '500',
  CHANGE_CASES: '400',
  FAILOVER_KILLS: '1',
  FUZZ_REQUESTS: '150',
  HOSTILE_INPUTS: '150',
  HOSTILE_RUNS: '400',
  IMPORT_KILLS: '2',
  JAVASCRIPT_FORMS: '60',
  JOB_FAULTS: '8',
  KILL_ROUNDS: '2',
  LIVE_DISCONNECTS: '30',
  LIVE_SCOPES: '5',
  LIVE_SECONDS: '10',
  LIVE_SUBSCRIBERS: '60',
  MIGRATION_ROUNDS: '1',
  MODEL_SEEDS: '1',
  PATCH_RUNS: '400',
  PLANNER_FUZZ_QUERIES: '4000',
  SEQUENCES: '6',
  SHARED_READS: '5000',
  TAMPERINGS: '80',
  TENANT_RUNS: '60',
  TORN_LOG_ROUNDS: '30',
  UPDATE_FUZZ_ROUNDS: '4000',
  UPGRADE_RUNS: '3',
  UPLOAD_ABORTS: '200',
}
if (!process.env['FULL_TESTS']) {
  for (const [name, count] of Object.entries(shortCounts)) process.env[name] ??= count
}

// Tests that start processes or compilers, inject faults or repeat random cases take seconds each. `npm test` leaves them out, and
// those of checks/, which need what `npm run check` installs.
const system = '**/*.system.test.ts'
const ignored = ['**/node_modules/**', '**/dist/**']
// The command line keeps no state in its modules, which take longer to load than many of its tests.
const commandLine = 'packages/cli/test'
const checks = 'checks/test'
// The modules of core and its packages take longer to load than many of its tests.
const core = 'packages/core/test'
// Tests of core that each need modules without a history.
const alone = [
  // Several generated tests and others start the same app.
  `${core}/golden/*/resources/**/*.test.ts`,
  `${core}/{openapi/document,resource/validation}.test.ts`,
  // All audited models of the process are verified.
  `${core}/{audit,personal-data}/*.test.ts`,
  // What loading modules does, and the replacement of a package that they load.
  `${core}/auth/login-work.test.ts`,
  `${core}/database/mongoose-settings.test.ts`,
  `${core}/logging/request-tracking.test.ts`,
  // A warning that is printed once.
  `${core}/limits/forwarded-ports.test.ts`,
]
const packages = readdirSync(new URL('packages', import.meta.url))
const folders = [...packages.map((name) => `packages/${name}/test`), 'examples/*', 'test']

const toTests = (folder: string): string => `${folder}/**/*.test.ts`

// With the options of all projects. A project that extends this file would load it again.
function project(name: string, include: string[], own: object = {}): TestProjectConfiguration {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: conditions } },
    test: {
      name,
      include,
      exclude: [...ignored, system],
      // Longer than a slow machine needs: only a test that fails waits for the end of these.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      ...own,
    },
  }
}

// Files share a process, so that modules are loaded once. They restore what they change.
const sharesProcess = { isolate: false }

export default defineConfig({
  test: {
    // The runner would leave a processor idle, which on two of them is half of the machine.
    maxWorkers: '100%',
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts'], sharesProcess),
      project('integration', [
        ...folders.filter((folder) => ![commandLine, core].includes(folder)).map(toTests),
        ...alone,
      ]),
      project('core', [toTests(core)], {
        ...sharesProcess,
        exclude: [...ignored, system, ...alone],
        setupFiles: `${core}/restore-process.ts`,
      }),
      project('command-line', [toTests(commandLine)], sharesProcess),
      project('checks', [toTests(checks)]),
      project(
        'system',
        [...folders, ...(hasChecks ? [checks] : [])].map((folder) => `${folder}/${system}`),
        { exclude: ignored },
      ),
    ],
  },
})
