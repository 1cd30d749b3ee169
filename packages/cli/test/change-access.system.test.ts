import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedProject, runGeneratedTests } from './linked-project.ts'
import { runProgram } from './run-program.ts'

async function generate(root: string, command: string): Promise<void> {
  const args = ['generate', 'resource', ...command.split(' ')]
  const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
}

function edit(root: string, file: string, [from, to]: readonly [string, string]): void {
  const path = join(root, 'src/resources', file)
  const before = readFileSync(path, 'utf8')
  expect(before.split(from)).toHaveLength(2)
  writeFileSync(path, before.replace(from, to))
}

const owner =
  "owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },"

it('the generated tests follow an access that was changed by hand', async () => {
  const root = await createLinkedProject()
  await generate(root, 'posts title body:text published:boolean:default=false')
  await generate(root, 'comments body:text post:ref:Post --access owner')
  await generate(root, 'notes title --access public')
  await generate(root, 'pages title --access user --soft-delete')
  await generate(
    root,
    'pieces title --actions list,get --access read=public,create=user,update=owner,delete=owner',
  )
  // One word in the routes, and the field of the owner in the model.
  edit(root, 'posts/posts.routes.ts', ["access: 'public'", "access: 'owner'"])
  edit(root, 'posts/posts.model.ts', ['    title: {', `    ${owner}\n    title: {`])
  edit(root, 'comments/comments.routes.ts', [
    "{ access: 'owner', params,",
    "{ access: 'owner', references: { post: 'owner' }, params,",
  ])
  edit(root, 'notes/notes.routes.ts', ["access: 'public'", "access: 'user'"])
  edit(root, 'pages/pages.routes.ts', ["access: 'user'", "access: 'admin'"])
  runGeneratedTests(root)
  expect.hasAssertions()
})

it('they fail where the model lacks the owner that the routes ask for', async () => {
  const root = await createLinkedProject()
  await generate(root, 'posts title')
  edit(root, 'posts/posts.routes.ts', ["access: 'public'", "access: 'owner'"])
  let failure: unknown
  try {
    runGeneratedTests(root)
  } catch (error) {
    failure = error
  }
  expect(failure).toMatchObject({ actual: expect.stringContaining('posts.test.ts') })
})
