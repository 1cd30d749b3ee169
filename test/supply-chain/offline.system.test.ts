import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { root } from './lock.ts'

// Runs in a separate network namespace that has only a loopback interface.
const alone = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const isPermitted =
  process.platform === 'linux' && spawnSync('unshare', [...alone, 'true']).status === 0

describe.skipIf(!isPermitted)('without a network', () => {
  it('SUP-06 an API starts, serves and stores users', () => {
    const run = ['npx', 'vitest', 'run', 'packages/core/src/lib/create-api.test.ts']
    const { status, stdout } = spawnSync('unshare', [...alone, ...run], {
      cwd: root,
      encoding: 'utf8',
      // The test inside the namespace is a separate run.
      env: { ...process.env, VITEST: undefined, VITEST_POOL_ID: undefined },
    })
    expect(stdout).toMatch(/Tests\s.*passed/)
    expect(status).toBe(0)
  })
})
