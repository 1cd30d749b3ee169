import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { run } from '../src/lib/programs/run.ts'
import { printTable } from '../src/lib/terminal/print-table.ts'
import { createProject } from './run-program.ts'

// A terminal of 80 columns without input or colours.
async function show(cwd: string, ...args: string[]): Promise<readonly string[]> {
  let text = ''
  const sink = { isTTY: true, columns: 80, write: (part: string) => (text += part) }
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' }
  const terminal = { cwd, env, stdin: Readable.from(['']), stdout: sink, stderr: sink }
  await run(createApiProgram, args, terminal)
  return text.split('\n')
}

describe('in a terminal of 80 columns', () => {
  it.each([
    ['help', ['--help']],
    ['help', ['generate', '--help']],
    ['help', ['generate', 'resource', '--help']],
    ['help', ['add', 'field', '--help']],
    ['help', ['destroy', 'resource', '--help']],
    ['help', ['routes', '--help']],
    ['help', ['users', 'create', '--help']],
    ['notes', ['generate', 'resource', 'comments', 'post:ref:Post', 'author:ref:Author']],
    ['an edited file', ['generate', 'resource', 'posts']],
  ])('no line is longer: %s of %j', async (_what, args) => {
    const root = await createProject(['posts'])
    writeFileSync(join(root, 'src/resources/posts/posts.service.ts'), '// mine\n')
    const lines = await show(root, ...args)
    expect(lines.length).toBeGreaterThan(2)
    // Commands are not folded, so that they can be pasted.
    const long = lines.filter((line) => line.length > 80 && !line.includes('npx --no-install'))
    expect(long).toEqual([])
  })

  it('tables leave out the last columns that do not fit', () => {
    const rows = [['a', 'b'.repeat(10), 'c']]
    expect(printTable(['ONE', 'TWO', 'THREE'], rows, 15)).toEqual(['ONE  TWO', 'a    bbbbbbbbbb'])
    expect(printTable(['ONE', 'TWO', 'THREE'], rows, 22)[0]).toBe('ONE  TWO         THREE')
    expect(printTable(['ONE', 'TWO', 'THREE'], rows)[0]).toBe('ONE  TWO         THREE')
  })
})
