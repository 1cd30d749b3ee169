import { spawnSync } from 'node:child_process'
import { exactly, type Figure } from './scenario.ts'

interface Suite {
  readonly rows: string
  readonly file: string
  /** Variables of the long form. */
  readonly env: Readonly<Record<string, string>>
}

// Times say little on a busy machine: in the gate a test counts the work instead (LOG-02).
const timing = ['benchmarks/auth/run.js', 'login', 'login-loaded']

// Rows of the plan that are tests: the gate runs their short form.
const suites: readonly Suite[] = [
  {
    rows: 'F-01 F-02 F-03',
    file: 'packages/core/test/auth/races.system.test.ts',
    env: { RACE_RUNS: '20' },
  },
  {
    rows: 'F-03d',
    file: 'packages/core/test/auth/session-model-check.test.ts',
    env: { MODEL_SEEDS: '50', MODEL_OPERATIONS: '5000' },
  },
  {
    rows: 'F-04 REF-12',
    file: 'packages/core/test/auth/failover.system.test.ts',
    env: { FAILOVER_KILLS: '20' },
  },
  {
    rows: 'F-12',
    file: 'packages/core/test/http/fuzz.test.ts',
    env: { FUZZ_REQUESTS: '100000' },
  },
  { rows: 'F-15', file: 'packages/core/test/limits/shared-limits.test.ts', env: {} },
  { rows: 'F-15', file: 'checks/test/limits', env: {} },
]

/**
 * Runs the rows of the plan that are tests or measurements, in their long form.
 * @returns a figure for each: its exit code
 */
export function runSuites(): Figure[] {
  const figures = suites.map(({ rows, file, env }) => {
    const { status } = spawnSync('npx', ['vitest', 'run', file, '--testTimeout=3600000'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return exactly(`${rows} ${file.split('/').at(-1)}`, status, 0)
  })
  const { status } = spawnSync(process.execPath, timing, {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return [...figures, exactly('F-17 benchmarks/auth', status, 0)]
}
