import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { addJob, createLinkedJavaScript, runInProject, sourceEnv } from './linked-project.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

const program = buildProgram()

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

async function enqueue(root: string): Promise<void> {
  const script = `
    import { withDatabase } from '@create-api/core'
    import { enqueue } from '@create-api/jobs'
    import { api } from './src/app.js'
    import { broken } from './src/jobs.js'
    await withDatabase(api, () => enqueue(broken, {}))
  `
  await runInProject(root, script)
}

describe('api jobs', () => {
  it('works off, lists, retries, pauses and discards jobs', async () => {
    const root = await createLinkedJavaScript()
    addJob(root)
    expect((await api(root, 'jobs', 'list')).stdout).toContain('There are no jobs.')
    await enqueue(root)
    const lines = await work(root, 'job failed')
    expect(lines).toContain('without serving requests')
    const { stdout } = await api(root, 'jobs', 'list', '--state', 'dead', '--json')
    const { counts, jobs } = JSON.parse(stdout)
    expect(counts).toEqual([{ name: 'broken', state: 'dead', count: 1 }])
    expect(jobs).toMatchObject([{ name: 'broken', attempt: 1, error: 'not now' }])
    const [{ id }] = jobs
    expect((await api(root, 'jobs', 'list')).stdout).toContain(`${id}  broken  dead`)
    expect((await api(root, 'jobs', 'retry', id)).stdout).toContain('1 job due again.')
    expect(await api(root, 'jobs', 'retry', id)).toMatchObject({ code: 3 })
    await api(root, 'jobs', 'pause', 'broken')
    expect((await api(root, 'jobs', 'list')).stderr).toContain('broken is paused')
    expect((await api(root, 'jobs', 'resume', 'broken')).code).toBe(0)
    expect((await api(root, 'jobs', 'discard', id)).stdout).toContain('1 job discarded.')
  })

  it('explains what is wrong', async () => {
    const root = await createLinkedJavaScript()
    expect((await api(root, 'jobs', 'list')).stderr).toContain('This API has no jobs')
    addJob(root)
    expect(await api(root, 'jobs', 'retry')).toMatchObject({ code: 2 })
    const unknown = await api(root, 'jobs', 'pause', 'brokn')
    expect(unknown).toMatchObject({ code: 2 })
    expect(unknown.stderr).toContain('There is no job brokn. The service has: broken')
    expect((await api(root, 'jobs', 'discard', 'x')).stderr).toContain('no job with the id x')
    const empty = await createProject()
    expect((await api(empty, 'jobs', 'list')).code).not.toBe(0)
  })
})

// Runs `api work` until it prints a text, and stops it.
async function work(root: string, text: string): Promise<string> {
  const child = spawn(process.execPath, [program, 'work'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', ...sourceEnv },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      const hadText = printed.includes(text)
      printed += chunk.toString()
      // Once: a second signal aborts the shutdown.
      if (!hadText && printed.includes(text)) child.kill('SIGTERM')
    })
  }
  const [code] = await once(child, 'exit')
  expect([code, printed]).toEqual([0, expect.stringContaining(text)])
  return printed
}
