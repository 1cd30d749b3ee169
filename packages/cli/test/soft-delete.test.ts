import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function generate(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'resource', ...command.split(' ')], { cwd })
}

async function createWith(...commands: readonly string[]): Promise<string> {
  const root = await createProject()
  for (const command of commands) expect(await generate(root, command)).toMatchObject({ code: 0 })
  return root
}

function readPart(root: string, plural: string, part: string): string {
  return readFileSync(join(root, `src/resources/${plural}/${plural}.${part}.ts`), 'utf8')
}

describe('api generate resource --soft-delete', () => {
  it('writes the plugin and a route with the access of delete, and remembers it', async () => {
    const root = await createProject()
    const command =
      'posts slug:string:unique --soft-delete --access read=public,write=user,delete=role:admin'
    const { stdout } = await generate(root, command)
    expect(stdout).toMatch(/^ {2}POST +\/api\/posts\/:id\/restore$/m)
    expect(readPart(root, 'posts', 'model')).toContain('.plugin(softDelete)')
    const restore = readPart(root, 'posts', 'routes').split("'/:id/restore',")[1] ?? ''
    expect(restore.replace(/\s+/g, ' ')).toMatch(
      /^ { access: 'admin', response: postSchema, etag: true, errors: \['duplicate'\] }/,
    )
    expect(readPart(root, 'posts', 'service')).toContain(
      'return restoreDocument(PostModel, { _id: id }, options)',
    )
    expect((await generate(root, 'posts')).stdout).toContain('Nothing to do.')
  })

  it('hides everything under a deleted parent', async () => {
    const root = await createWith('posts title --soft-delete', 'comments body:text --under posts')
    const controller = readPart(root, 'comments', 'controller')
    expect(controller.match(/scope: await toScope\(req\)/g)).toHaveLength(6)
    expect(readPart(root, 'comments', 'test')).toContain('of a deleted post')
  })

  it.each([
    ['posts deletedAt:date --soft-delete', 'field "deletedAt" is set by --soft-delete'],
    ['posts title --soft-delete --actions list,get', '--soft-delete needs the action delete'],
  ])('refuses %s', async (command, message) => {
    const root = await createProject()
    const before = readTree(root)
    const { code, stderr } = await generate(root, command)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(readTree(root)).toEqual(before)
  })
})
