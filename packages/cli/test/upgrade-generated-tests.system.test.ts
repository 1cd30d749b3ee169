import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { commitAll, unpackEarlier } from './earlier-projects/unpack.ts'
import { runGeneratedTests } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

const posts = 'src/resources/posts/posts.test.ts'
const notes = 'src/resources/notes/notes.test.ts'
const comments = 'src/resources/comments/comments.test.ts'

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function edit(root: string, path: string, [from, to]: readonly [string, string]): void {
  const before = read(root, path)
  expect(before.split(from)).toHaveLength(2)
  writeFileSync(join(root, path), before.replace(from, to))
}

interface Upgrade extends Result {
  readonly actions: Readonly<Record<string, string>>
}

async function upgrade(root: string): Promise<Upgrade> {
  commitAll(root)
  const result = await runProgram(createApiProgram, ['upgrade', '--json'], { cwd: root })
  const { files } = JSON.parse(result.stdout)
  const actions = files.map(({ action, path }: { action: string; path: string }) => [path, action])
  return { ...result, actions: Object.fromEntries(actions) }
}

const own = `
describe('mine', () => {
  it('lists what was stored', async () => {
    const { data } = await insert()
    const { body } = await request.get(path).expect(200)
    expect(body.data).toContainEqual(data)
  })
})
`

// The tests of the project were generated before test callers.
it('gives tests a caller, keeps what was added to them, and they pass', async () => {
  const root = unpackEarlier('845a35c')
  edit(root, notes, ['text: `text ${count}`,', "text: 'my text',"])
  edit(root, posts, ["\ndescribe('GET /api/posts', ", `${own}\ndescribe('GET /api/posts', `])
  edit(root, comments, [
    "\ndescribe('GET /api/posts/:postId/comments', ",
    `${own}\ndescribe('GET /api/posts/:postId/comments', `,
  ])
  const { actions, code } = await upgrade(root)
  expect(code).toBe(0)
  expect(actions).toMatchObject({ [notes]: 'merge', [posts]: 'merge', [comments]: 'merge' })
  for (const path of [notes, posts, comments]) {
    expect(read(root, path)).toContain('caller = await client.createCaller(')
    expect(read(root, path)).not.toContain('supertest')
  }
  expect(read(root, notes)).toContain("text: 'my text',")
  for (const path of [posts, comments]) expect(read(root, path)).toContain(own)
  runGeneratedTests(root)
})

it('marks a conflict where the lines that create the caller were edited', async () => {
  const root = unpackEarlier('845a35c')
  edit(root, notes, ['await client.signUp()', "await client.signUp({ email: 'ada@example.org' })"])
  const { actions, code } = await upgrade(root)
  expect({ code, action: actions[notes] }).toEqual({ code: 3, action: 'conflict' })
  const marked = /<<<<<<< yours\n([^]*?)=======\n([^]*?)>>>>>>> create-api /.exec(read(root, notes))
  expect(marked?.[1]).toContain("signUp({ email: 'ada@example.org' })")
  expect(marked?.[2]).toContain("createCaller('/api/notes')")
})
