import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { createLinkedProject, runGeneratedTests, sourceEnv } from '../linked-project.ts'
import { type Result, runProgram } from '../run-program.ts'

interface Adopted {
  readonly root: string
  readonly result: Result
}

/** Writes a model to a new project, and generates a resource for it. */
async function adopt(file: string, source: string, ...args: readonly string[]): Promise<Adopted> {
  const root = await createLinkedProject()
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
  const command = ['generate', 'resource', 'posts', '--from-model', file, ...args]
  const result = await runProgram(createApiProgram, command, { cwd: root, env: sourceEnv })
  expect(readFileSync(path, 'utf8')).toBe(source)
  return { root, result }
}

const typed = `import { model, Schema, type Types } from 'mongoose'

export interface PostFields {
  title: string
  body?: string
  tags: string[]
  views: number
  author?: Types.ObjectId
  secretNote?: string
}

const schema = new Schema<PostFields>(
  {
    title: { type: String, required: true, trim: true, maxlength: 120, index: true },
    body: String,
    tags: [String],
    views: { type: Number, default: 0, min: 0 },
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
    secretNote: { type: String, select: false },
  },
  { timestamps: true },
)

export const Post = model('Post', schema)
`

describe('api generate resource --from-model', () => {
  it('uses a TypeScript model where it is, and its tests pass', async () => {
    const { root, result } = await adopt('src/models/post.ts', typed)
    expect(result.stderr).not.toContain('error')
    expect(result.code).toBe(0)
    runGeneratedTests(root)
  })
})
