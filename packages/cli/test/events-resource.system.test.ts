import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { addJob, createLinkedProject, runGeneratedTests, sourceEnv } from './linked-project.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

function generate(cwd: string, ...args: readonly string[]): Promise<Result> {
  const line = ['generate', 'resource', ...args]
  return runProgram(createApiProgram, line, { cwd, env: sourceEnv })
}

const eventTest = `
import { createApi } from '@create-api/core'
import { createTestClient } from '@create-api/core/testing'
import { createJobs } from '@create-api/jobs'
import { on } from '@create-api/jobs/events'
import { runJobs } from '@create-api/jobs/testing'
import { expect, it } from 'vitest'
import { postEvents } from '../src/resources/posts/posts.model.js'
import { routes } from '../src/routes.js'

it('emits an event for a request', async () => {
  const titles: unknown[] = []
  const handler = on(postEvents.created, {
    name: 'note-title',
    run: ({ after }) => void titles.push(after?.title),
  })
  const api = createApi({ routes, jobs: createJobs({ handlers: [handler] }) })
  const client = await createTestClient(api)
  await client.request.post('/api/posts').send({ title: 'One' }).expect(201)
  expect(await runJobs(api)).toMatchObject([{ name: 'note-title', outcome: 'done' }])
  expect(titles).toEqual(['One'])
  await client.stop()
})
`

describe('api generate resource --events', () => {
  it('emits an event for each change', async () => {
    const root = await createLinkedProject()
    const { stderr } = await generate(root, 'posts', '--events')
    expect(stderr).toMatch(/npm install \S*create-api.jobs[\s\S]*npm test -- posts/)
    expect(stderr).toContain('jobs: createJobs({ handlers: [] }),')
    addJob(root)
    expect((await generate(root, 'notes', '--events')).stderr).not.toContain('createJobs')
    const model = readFileSync(join(root, 'src/resources/posts/posts.model.ts'), 'utf8')
    expect(model).toContain("import { emitChanges } from '@create-api/jobs/events'")
    expect(model).toContain('export const postEvents = emitChanges(PostModel)')
    expect((await generate(root, 'posts')).stdout).not.toContain('replace')
    writeFileSync(join(root, 'test/events.test.ts'), eventTest)
    runGeneratedTests(root)
  })

  it('is refused for a model that exists', async () => {
    const root = await createProject(['posts'])
    const file = 'src/resources/posts/posts.model.ts#Post'
    const { code } = await generate(root, 'articles', '--from-model', file, '--events')
    expect(code).not.toBe(0)
  })
})
