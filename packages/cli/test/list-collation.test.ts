import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function api(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, command.split(' '), { cwd })
}

function readPart(root: string, part: string): string {
  return readFileSync(join(root, `src/resources/posts/posts.${part}.ts`), 'utf8')
}

describe('api generate resource --collation', () => {
  it('writes the collation of the list and of the indexes of text, and remembers it', async () => {
    const root = await createProject()
    const fields = 'slug:string:unique title:string tags:array:string count:int day:day body:text'
    const command = `generate resource posts ${fields} --collation fr_CA`
    expect(await api(root, command)).toMatchObject({ code: 0 })
    expect(readPart(root, 'validation')).toContain(
      "  collation: { locale: 'fr_CA', strength: 2 },\n})",
    )
    const indexes = readPart(root, 'model').match(/^(?:const collation|postSchema\.index).*$/gm)
    expect(indexes).toEqual([
      "const collation = { locale: 'fr_CA', strength: 2 }",
      'postSchema.index({ slug: 1, _id: 1 }, { collation })',
      'postSchema.index({ title: 1, _id: 1 }, { collation })',
      'postSchema.index({ tags: 1, _id: 1 }, { collation })',
      'postSchema.index({ count: 1, _id: 1 })',
      'postSchema.index({ day: 1, _id: 1 })',
      'postSchema.index({ createdAt: 1, _id: 1 })',
    ])
    expect((await api(root, 'generate resource posts')).stdout).toContain('Nothing to do.')
    const before = readTree(root)
    await api(root, 'add field posts note:string')
    expect(readPart(root, 'model')).toContain(
      'postSchema.index({ note: 1, _id: 1 }, { collation })',
    )
    await api(root, 'remove field posts note')
    expect(readTree(root)).toEqual(before)
  })

  it('writes no constant that nothing uses', async () => {
    const root = await createProject()
    await api(root, 'generate resource posts count:int --collation en')
    expect(readPart(root, 'model')).not.toContain('collation =')
  })

  it.each(['xx', 'en-US', 'EN', 'english', "e'n", 'en_us'])('refuses %s', async (locale) => {
    const root = await createProject()
    const before = readTree(root)
    const { code, stderr } = await api(root, `generate resource posts --collation ${locale}`)
    expect(code).toBe(2)
    expect(stderr).toContain(`--collation ${locale}: that is not a locale of MongoDB`)
    expect(readTree(root)).toEqual(before)
  })
})
