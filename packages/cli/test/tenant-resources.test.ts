import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

// What the files contain is compared in golden-resources.test.ts, and run in packages/core/test/golden.

function generate(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'resource', ...command.split(' ')], { cwd })
}

function configure(root: string, config: object): void {
  const file = join(root, 'api.config.json')
  const before: object = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...before, ...config }))
}

describe('api generate resource --tenant', () => {
  it('mounts below the organization, and remembers it', async () => {
    const root = await createProject()
    const { stdout, stderr } = await generate(root, 'posts title --tenant')
    expect(stdout).toContain('Post → /api/orgs/:org/posts')
    expect(stdout).toContain('access member')
    expect(stderr).toContain('tenants: createTenants(),')
    const routes = readFileSync(join(root, 'src/routes.ts'), 'utf8')
    expect(routes).toContain("routes.use('/api/orgs/:org/posts', postsRouter)")
    expect((await generate(root, 'posts')).stdout).toContain('Nothing to do.')
    expect((await generate(root, 'posts title --tenant')).stdout).toContain('Nothing to do.')
  })

  it('is what everything under such a resource is', async () => {
    const root = await createProject()
    await generate(root, 'posts title --tenant --access owner')
    const { stdout } = await generate(root, 'comments body:text --under posts')
    expect(stdout).toContain('Comment → /api/orgs/:org/posts/:postId/comments')
    expect(stdout).toContain('access member and owner')
  })

  it('admits some of the members, for each action others', async () => {
    const root = await createProject()
    const access = 'read=user,create=user,update=owner|role:admin,delete=rule:editors'
    const { stdout } = await generate(root, `pages title --tenant --soft-delete --access ${access}`)
    expect(stdout).toContain(`access member and ${access}`)
    const routes = readFileSync(join(root, 'src/resources/pages/pages.routes.ts'), 'utf8')
    expect(routes).toContain('access: member,')
    expect(routes).toContain("access: all(member, any('owner', 'admin')),")
    expect(routes).toContain('access: all(member, editors),')
    expect((await generate(root, 'pages')).stdout).toContain('Nothing to do.')
    const { stdout: ofChild } = await generate(root, 'lines text --under pages')
    expect(ofChild).toContain(`access member and ${access}`)
  })

  it('mounts where it did without organizations if they are not in the path', async () => {
    const root = await createProject()
    configure(root, { tenants: 'header' })
    const { stdout } = await generate(root, 'posts title --tenant')
    expect(stdout).toContain('Post → /api/posts')
    // The setting may change later.
    configure(root, { tenants: 'path' })
    expect((await generate(root, 'posts')).stdout).toContain('Nothing to do.')
    expect((await generate(root, 'notes title --tenant --path /api/x')).stderr).toContain(
      '--tenant and --path exclude each other',
    )
  })

  it('writes no test where the token names the organization', async () => {
    const root = await createProject()
    configure(root, { tenants: 'token' })
    await generate(root, 'posts title --tenant')
    const files = [...readTree(root).keys()].filter((path) => path.includes('posts'))
    expect(files).not.toEqual([])
    expect(files.filter((path) => path.endsWith('.test.ts'))).toEqual([])
  })

  it('says nothing of the option if the app has it', async () => {
    const root = await createProject()
    const file = join(root, 'src/app.ts')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('createApi({', 'createApi({ tenants: createTenants(),'),
    )
    expect((await generate(root, 'posts title --tenant')).stderr).not.toContain('organizations')
  })

  it.each([
    ['notes title --tenant --access public', '--tenant: only members can be admitted'],
    ['notes title --tenant --access read=public,write=owner', 'only members can be admitted'],
    ['notes title --tenant --access rule:member', 'the generated routes use "member" themselves'],
    ['notes title --access rule:any', 'the generated routes use "any" themselves'],
    ['members name --tenant', '/api/orgs/:org/members is a route of organizations already'],
    ['notes organization:string --tenant', 'field "organization" is set by --tenant'],
    ['notes title --tenant --under plain', 'do not belong to organizations'],
    ['notes folder:ref:Folder', 'the documents of Folder belong to organizations'],
  ])('refuses %s', async (command, message) => {
    const root = await createProject()
    await generate(root, 'plain title')
    await generate(root, 'folders title --tenant')
    const before = readTree(root)
    const { code, stderr } = await generate(root, command)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(readTree(root)).toEqual(before)
  })
})
