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

describe('api generate resource --under', () => {
  it('mounts below the parent, with its access, and remembers it', async () => {
    const root = await createWith('posts title --access owner')
    const { stdout } = await generate(root, 'comments body:text --under post')
    expect(stdout).toContain('Comment → /api/posts/:postId/comments')
    expect(stdout).toContain('access owner')
    const routes = readFileSync(join(root, 'src/routes.ts'), 'utf8')
    expect(routes).toContain("routes.use('/api/posts/:postId/comments', commentsRouter)")
    const service = readFileSync(join(root, 'src/resources/comments/comments.service.ts'), 'utf8')
    expect(service).toContain(
      'findDocument(PostModel, { _id: id }, { scope, query: { fields: [] } })',
    )
    expect((await generate(root, 'comments')).stdout).toContain('Nothing to do.')
    expect((await generate(root, 'comments body:text --under posts')).stdout).toContain(
      'Nothing to do.',
    )
  })

  it('looks up a parent that is addressed by another field', async () => {
    const root = await createWith('articles slug:string:unique title --key slug --access owner')
    const { stdout } = await generate(root, 'notes body:text --under articles')
    expect(stdout).toContain('Note → /api/articles/:articleSlug/notes')
    const service = readFileSync(join(root, 'src/resources/notes/notes.service.ts'), 'utf8')
    expect(service).toContain(
      'findDocument(ArticleModel, { slug }, { scope, query: { fields: [] } })',
    )
    expect((await generate(root, 'notes')).stdout).toContain('Nothing to do.')
  })

  it('nests a resource whose name has no plural', async () => {
    const root = await createWith('posts title', 'news body:text --under posts')
    const validation = readFileSync(join(root, 'src/resources/news/news.validation.ts'), 'utf8')
    expect(validation.match(/export type \w+Params/g)).toEqual([
      'export type NewsListParams',
      'export type NewsParams',
    ])
  })

  it('says who is left without a parent when that is destroyed', async () => {
    const root = await createWith('posts title', 'comments body:text --under posts')
    const args = ['destroy', 'resource', 'posts']
    const { stderr } = await runProgram(createApiProgram, args, { cwd: root })
    expect(stderr).toContain('comments')
  })

  it.each([
    ['comments body --under pots', 'did you mean "posts"?'],
    ['comments body --under nothing', 'first: npx --no-install api generate resource nothings'],
    ['replies body --under comments', 'only one level is supported'],
    ['notes body --under owned --access public', 'documents under them must too'],
    ['notes post:string --under posts', 'field "post" is set by --under posts'],
    ['notes body --under posts --path /api/notes', '--under and --path exclude each other'],
  ])('refuses %s', async (command, message) => {
    const root = await createWith(
      'posts title',
      'owned title --access owner',
      'comments body --under posts',
    )
    const before = readTree(root)
    const { code, stderr } = await generate(root, command)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(readTree(root)).toEqual(before)
  })
})

describe('api generate resource --key', () => {
  it('addresses documents by the field, and remembers it', async () => {
    const root = await createWith('articles slug:string:unique title --key slug')
    const routes = readFileSync(join(root, 'src/resources/articles/articles.routes.ts'), 'utf8')
    expect(routes).toContain("get('/:slug'")
    expect(routes).not.toContain('/:id')
    expect((await generate(root, 'articles')).stdout).toContain('Nothing to do.')
  })

  it('gives the variable of a document another name than the key', async () => {
    const root = await createWith('tags tag:string:unique --key tag', 'notes text --under tags')
    const read = (path: string): string => readFileSync(join(root, 'src/resources', path), 'utf8')
    expect(read('tags/tags.controller.ts')).toContain(
      'success(setCreated(res, found, found.tag), found)',
    )
    expect(read('notes/notes.service.ts')).toContain('const found = await findDocument(')
  })

  it.each([
    ['cars slug:string:unique --key slog', 'did you mean "slug"?'],
    ['cars title --key number', 'give it one: number:string:unique'],
    ['cars slug:string --key slug', 'it must be required, unique and one of string, int, uuid'],
    ['cars slug:string:unique:optional --key slug', 'it must be required'],
    ['cars at:date:unique --key at', 'one of string, int, uuid'],
    ['cars match:string:unique --key match', 'the generated code uses "match" itself'],
    ['cars class:string:unique --key class', '"class" is a reserved word of JavaScript'],
  ])('refuses %s', async (command, message) => {
    const { code, stderr } = await generate(await createProject(), command)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
