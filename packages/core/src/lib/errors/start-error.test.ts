import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StartError, toReason } from './start-error.ts'

const core = fileURLToPath(new URL('../../index.ts', import.meta.url))
const service = `
  import { createApi, createRegistry } from ${JSON.stringify(core)}
  await createApi({ routes: createRegistry(), auth: false, database: false }).start()
`

describe('StartError', () => {
  it('is printed alone when a service cannot start', async () => {
    const server = createServer().listen(0)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const flags = ['--conditions=@create-api/source', '--import', 'tsx', '--input-type=module']
    const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', service], {
      cwd: import.meta.dirname,
      env: { PATH: process.env['PATH'], PORT: port },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`StartError: Port ${port} is in use. Stop the other process or choose`)
    expect(stderr).not.toContain('    at ')
    expect(stderr).not.toContain('EADDRINUSE')
  })

  it('keeps the original error', () => {
    const thrown = new Error('listen EADDRINUSE')
    expect(new StartError('Port 3000 is in use.', thrown).thrown).toBe(thrown)
  })
})

describe('toReason', () => {
  it('accepts any thrown value', () => {
    expect(toReason(new Error('a'))).toBe('a')
    expect(toReason('b')).toBe('b')
  })
})
