import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeProject } from '../src/lib/create/write-project.ts'
import { choosePackageManager } from '../src/lib/create/package-manager.ts'
import { formatDiff } from '../src/lib/files/diff.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createTemporaryFolder, readTree, runProgram } from './run-program.ts'

const blog = fileURLToPath(new URL('../../../examples/blog/', import.meta.url))

// What it was made with. `vitest -u` writes the example anew, but for what was edited.
const commands = [
  'authors name:string bio:text:optional --access owner',
  'posts title slug:string:unique body:text status:enum:draft,published tags:array:string ' +
    'author:ref:Author --access owner',
  'comments body:text --under posts',
]

const auth = 'auth --factors totp,passkeys --providers openid'

// What was changed by hand, as a user would.
const edited = [
  ...['controller', 'routes', 'service', 'validation'].map(
    (part) => `src/resources/posts/posts.${part}.ts`,
  ),
  'src/sign-in.ts',
  // In a workspace npm wants install scripts allowed at the root, and warns of them elsewhere.
  'package.json',
]

// Written by hand, beside what was generated.
const added = [
  'HISTORY.md',
  'src/client.ts',
  'test/posts.test.ts',
  'web/account.html',
  'web/account.ts',
  'web/find.ts',
  'web/index.html',
  'web/main.ts',
  'web/tsconfig.json',
]

// A tree is read byte by byte; here its files are texts. What upgrades merge from is compressed,
// and differs between machines.
function readTexts(root: string): Map<string, string> {
  const bytes = [...readTree(root)].filter(([path]) => !path.startsWith('.api/base'))
  return new Map(bytes.map(([path, text]) => [path, Buffer.from(text, 'latin1').toString('utf8')]))
}

describe('examples/blog', () => {
  it('is byte for byte what create-api writes, but for the files edited by hand', async () => {
    const target = join(createTemporaryFolder(), 'blog')
    const manager = choosePackageManager({})
    await writeProject({
      dir: 'blog',
      target,
      name: 'blog',
      manager,
      resource: [],
      client: false,
      published: true,
      surroundings: { workspace: undefined, otherWorkspace: undefined, repository: undefined },
      install: false,
      git: false,
    })
    for (const command of commands) {
      const args = ['generate', 'resource', ...command.split(' ')]
      const { code, stderr } = await runProgram(createApiProgram, args, { cwd: target })
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    }
    const { code, stderr } = await runProgram(createApiProgram, ['generate', ...auth.split(' ')], {
      cwd: target,
    })
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const written = readTexts(target)
    for (const [path, text] of written) {
      if (!edited.includes(path)) await expect(text).toMatchFileSnapshot(join(blog, path))
    }
    const expected = [...written.keys(), ...added]
    expect([...readTree(blog).keys()].toSorted()).toEqual(expected.toSorted())
    // A template that changes shows here, too, and is then to be brought into the edited files.
    const edits = edited.flatMap((path) =>
      formatDiff(path, written.get(path) ?? '', readFileSync(join(blog, path), 'utf8')),
    )
    await expect(`${edits.join('\n')}\n`).toMatchFileSnapshot('./blog-edits.diff')
  })

  it('says how it was made', () => {
    const history = readFileSync(join(blog, 'HISTORY.md'), 'utf8')
    expect(history).toContain(`api generate ${auth}\n`)
    for (const command of commands) expect(history).toContain(`api generate resource ${command}\n`)
  })
})
