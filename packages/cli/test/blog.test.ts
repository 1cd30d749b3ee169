import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeProject } from '../src/lib/create/write-project.ts'
import { choosePackageManager } from '../src/lib/create/package-manager.ts'
import { createTemporaryFolder, readTree } from './run-program.ts'

const blog = fileURLToPath(new URL('../../../examples/blog/', import.meta.url))
const require = join(fileURLToPath(new URL('../../../', import.meta.url)), 'node_modules', '.bin')

// What the README of the example says it was made with. `vitest -u` writes the example anew.
const posts =
  'posts title:string body:text published:boolean:default=false ' +
  'status:enum:draft,published slug:string:unique tags:array:string'
const comments = 'comments body:text post:ref:Post'

describe('examples/blog', () => {
  it('is byte for byte what create-api writes', async () => {
    const target = join(createTemporaryFolder(), 'blog')
    await writeProject({
      dir: 'blog',
      target,
      name: 'blog',
      manager: choosePackageManager({}),
      resource: [posts, comments],
      published: true,
    })
    const written = readTree(target)
    for (const [path, text] of written) {
      await expect(text).toMatchFileSnapshot(join(blog, path))
    }
    expect([...readTree(blog).keys()].toSorted()).toEqual([...written.keys()].toSorted())
  })

  it('is formatted as its own settings say', async () => {
    const output = execFileSync(join(require, 'oxfmt'), ['--check', '.'], { cwd: blog })
    expect(existsSync(join(blog, '.oxfmtrc.json'))).toBe(true)
    expect(output.toString()).toContain('All matched files use the correct format')
  })
})
