import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { runInApp } from '../../src/lib/inspect/run-in-app.ts'
import { readProject } from '../../src/lib/project/open-project.ts'
import { createLinkedProject, sourceEnv } from '../linked-project.ts'
import { outputs } from '../output-schemas.ts'
import { runProgram } from '../run-program.ts'

const model = `import { model, Schema } from 'mongoose'

export const Post = model('Post', new Schema({
  title: { type: String, required: true, maxlength: 10 },
  views: { type: Number, min: 0 },
  tags: [String],
  secretKey: { type: String, required: true, minlength: 4, select: false },
  total: BigInt,
}))
`

const documents = [
  { title: 'fine', views: 1, tags: ['a'], secretKey: 'long', total: 5 },
  { title: 'much too long', views: -1, tags: ['a'], secretKey: 'long' },
  { title: 'fine', views: null, tags: ['a', 7, 8], secretKey: 'abc' },
  { views: -2, tags: [], secretKey: 'long' },
]

describe('api generate resource --check-data', () => {
  it('counts the documents that the validation rejects, and writes nothing', async () => {
    const root = await createLinkedProject()
    const api = (...args: readonly string[]) =>
      runProgram(createApiProgram, ['generate', 'resource', 'posts', ...args], {
        cwd: root,
        env: sourceEnv,
      })
    mkdirSync(join(root, 'src/models'))
    writeFileSync(join(root, 'src/models/post.ts'), model)
    const check = ['--from-model', 'src/models/post.ts', '--check-data']
    const empty = await api(...check)
    expect([empty.code, empty.stdout]).toEqual([0, expect.stringContaining('0 documents of posts')])
    const insert = `async (api, documents) => {
      const { withDatabase } = await import('@create-api/core')
      const { default: mongoose } = await import('mongoose')
      await withDatabase(api, () => mongoose.connection.db.collection('posts').insertMany(documents))
      return true
    }`
    await runInApp(readProject(root), insert, {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...sourceEnv },
      input: documents,
    })
    const { code, stderr, stdout } = await api(...check, '--json')
    expect([code, stderr]).toEqual([1, ''])
    const result = JSON.parse(stdout)
    expect(outputs['generate resource'].safeParse(result).error).toBeUndefined()
    expect(result.data.documents).toBe(4)
    const faults = result.data.faults.map(
      ({
        documents: broken,
        examples,
        path,
      }: {
        documents: number
        examples: object[]
        path: string
      }) => [path, broken, examples.map((example) => Reflect.get(example, 'value'))],
    )
    expect(faults).toEqual([
      ['title', 1, ['much too long']],
      ['views', 2, [-1, -2]],
      ['tags.*', 1, [7]],
      ['secretKey', 1, [undefined]],
      ['title', 1, [undefined]],
    ])
    const text = await api(...check)
    expect(text.code).toBe(1)
    expect(text.stdout).toContain('4 documents of posts')
    expect(text.stdout).not.toContain('abc')
    expect(readdirSync(join(root, '.api')).filter((name) => name.startsWith('check'))).toEqual([])
    expect(existsSync(join(root, 'src/resources/posts'))).toBe(false)
  })

  it('needs a model that exists', async () => {
    const root = await createLinkedProject()
    const { code, stderr } = await runProgram(
      createApiProgram,
      ['generate', 'resource', 'posts', 'title', '--check-data'],
      { cwd: root, env: sourceEnv },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('--check-data needs --from-model')])
  })
})
