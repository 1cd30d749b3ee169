import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import {
  commitAll,
  git,
  readEarlier,
  unpackEarlier,
  write,
  type EarlierOptions,
} from './earlier-projects/unpack.ts'
import { modules, runGeneratedTests } from './linked-project.ts'
import { createTemporaryFolder, type Result, runProgram } from './run-program.ts'

// The generated tests pass after clean upgrades: they run after each of so many.
const generatedTestsEach = Number(process.env['GENERATED_TESTS_EACH'] ?? 9)
let cleanUpgrades = 0

const commit = 'b5d9526'
const earlier = readEarlier(commit)

const model = 'src/resources/posts/posts.model.ts'
const routes = 'src/resources/posts/posts.routes.ts'
const service = 'src/resources/posts/posts.service.ts'
const registry = 'src/routes.ts'
const test = 'test/app.test.ts'

// A line of each file that the new templates change.
const newImport = "import { type Stored, versioned } from '@create-api/core/resource'"
const newOption = '  return findPage(PostModel, query, options)'
const newTitle = "it('returns 404 for an unknown path'"

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function edit(root: string, path: string, change: (text: string) => string): void {
  const before = read(root, path)
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(join(root, path), after)
}

interface UpgradeOptions extends EarlierOptions {
  /** Edits after which the project was not in order before the upgrade either. */
  readonly broken?: true
}

interface Upgrade extends Result {
  readonly root: string
  /** What happened to each file that is listed. */
  readonly actions: Readonly<Record<string, string>>
}

// Upgrades a project after the edits of its user; a second run has to change nothing.
async function upgrade(
  prepare: (root: string) => void,
  args: readonly string[] = [],
  { broken, ...options }: UpgradeOptions = {},
): Promise<Upgrade> {
  const root = unpackEarlier(commit, options)
  prepare(root)
  commitAll(root)
  const result = await runProgram(createApiProgram, ['upgrade', ...args, '--json'], { cwd: root })
  const { error, files = [] } = JSON.parse(result.stdout)
  expect(error?.code === 'UNEXPECTED' ? error : undefined).toBeUndefined()
  if (error === undefined) await expectNothingToDo(root)
  if (result.code === 0 && !broken) {
    cleanUpgrades += 1
    if (cleanUpgrades % generatedTestsEach === 0) runGeneratedTests(root)
  }
  const actions = files.map(({ action, path }: { action: string; path: string }) => [path, action])
  return { ...result, root, actions: Object.fromEntries(actions) }
}

async function expectNothingToDo(root: string): Promise<void> {
  commitAll(root)
  const { code, stdout } = await runProgram(createApiProgram, ['upgrade'], { cwd: root })
  const kept = stdout.split('\n').filter((line) => !line.startsWith('  keep '))
  expect({ code, lines: kept.join('\n').trim() }).toMatchObject({ code: 0 })
  expect(kept.join('')).not.toMatch(/^ {2}(create|replace|merge|conflict|rename|delete) /m)
  expect(git(root, 'status', '--porcelain')).toBe('')
}

describe('api upgrade keeps edits of code', () => {
  it('a changed line beside one that the template changes', async () => {
    const { actions, code, root } = await upgrade((folder) => {
      edit(folder, model, (text) => text.replace('trim: true', 'trim: true, lowercase: true'))
    })
    expect({ code, action: actions[model] }).toEqual({ code: 0, action: 'merge' })
    expect(read(root, model)).toContain('trim: true, lowercase: true')
    expect(read(root, model)).toContain(newImport)
  })

  it('an added line in the middle', async () => {
    const { actions, root } = await upgrade((folder) => {
      edit(folder, model, (text) =>
        text.replace('    tags:', '    hits: { type: Number },\n    tags:'),
      )
    })
    expect(actions[model]).toBe('merge')
    expect(read(root, model)).toContain('    hits: { type: Number },\n    tags:')
  })

  it('lines added at the end', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, service, (text) => `${text}\nexport function mine(): number {\n  return 1\n}\n`)
    })
    expect(read(root, service)).toMatch(/export function mine\(\): number \{\n {2}return 1\n\}\n$/)
    expect(read(root, service)).toContain(newOption)
  })

  it('lines added at the start', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, test, (text) => `// Mine.\n\n${text}`)
    })
    expect(read(root, test)).toMatch(/^\/\/ Mine\.\n\nimport /)
    expect(read(root, test)).toContain(newTitle)
  })

  it('removed lines', async () => {
    const { root } = await upgrade(
      (folder) => {
        edit(folder, test, (text) => text.replace(/ {2}it\('lets in whom[^]*?\n {2}\}\)\n/, ''))
      },
      ['--ours'],
    )
    expect(read(root, test)).not.toContain('findAccessFaults(api, client)')
    expect(read(root, test)).toContain(newTitle)
  })

  it('a line that the template changes too: marked as git marks it', async () => {
    const { actions, code, root, stderr, stdout } = await upgrade((folder) => {
      edit(folder, test, (text) => text.replace(/\w+ 404 as a problem document/, 'says 404'))
    })
    expect({ code, action: actions[test] }).toEqual({ code: 3, action: 'conflict' })
    const [, yours, theirs] =
      /<<<<<<< yours\n([^]*?)=======\n([^]*?)>>>>>>> create-api /.exec(read(root, test)) ?? []
    expect(yours).toContain("  it('says 404', async () => {\n")
    expect(theirs).toContain("  it('returns 404 for an unknown path', async () => {\n")
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      warnings: [{ code: 'CONFLICTS', message: expect.stringContaining('in 1 file') }],
    })
    expect(stderr).toBe('')
  })

  it.each([
    ['--ours', 'says 404'],
    ['--theirs', 'returns 404 for an unknown path'],
  ])('a line that the template changes too: resolved with %s', async (flag, expected) => {
    const { actions, code, root } = await upgrade(
      (folder) => {
        edit(folder, test, (text) => text.replace(/\w+ 404 as a problem document/, 'says 404'))
        edit(folder, test, (text) => `${text}// mine\n`)
      },
      [flag],
    )
    expect({ code, action: actions[test] }).toEqual({ code: 0, action: 'merge' })
    expect(read(root, test)).toContain(`  it('${expected}', async`)
    expect(read(root, test)).toMatch(/\/\/ mine\n$/)
    expect(read(root, test)).toContain('enforces the access of each route')
  })

  it('a line that the template changes too: with --stop nothing is written', async () => {
    const { code, root, stdout } = await upgrade(
      (folder) => {
        edit(folder, test, (text) => text.replace(/\w+ 404(?= as)/, 'says 404'))
      },
      ['--stop'],
    )
    expect(code).toBe(3)
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'CONFLICT', files: [test] })
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('the change of the template, made by the user before', async () => {
    const made = `  it('returns 404 for an unknown path', async () => {
    await client.request.get('/nothing').expect(404)
  })
`
    const { actions, code, root } = await upgrade((folder) => {
      edit(folder, test, (text) =>
        text.replace(/ {2}it\('\w+ 404 as a problem document'[^]*?\n {2}\}\)\n/, made),
      )
    })
    expect({ code, action: actions[test] }).toEqual({ code: 0, action: 'merge' })
    expect(read(root, test)).toContain(made)
  })

  it('a block that moved within its file', async () => {
    const { root, code } = await upgrade((folder) => {
      edit(folder, model, (text) => {
        const [block = ''] = /export type Post = .*\n/.exec(text) ?? []
        return `${text.replace(block, '')}\n${block}`
      })
    })
    expect(code).toBe(0)
    expect(read(root, model)).toMatch(/\nexport type Post = .*\n$/)
    expect(read(root, model).match(/export type Post = /g)).toHaveLength(1)
  })

  it('a file whose whole text is replaced', async () => {
    const { actions, code, root } = await upgrade((folder) => {
      write(folder, routes, '// all my own\n')
    })
    expect({ code, action: actions[routes] }).toEqual({ code: 3, action: 'conflict' })
    expect(read(root, routes)).toContain('<<<<<<< yours\n// all my own\n=======\n')
  })

  it('a file that is now empty', async () => {
    const { actions, root } = await upgrade(
      (folder) => {
        write(folder, routes, '')
      },
      ['--ours'],
      { broken: true },
    )
    expect(actions[routes]).toBeUndefined()
    expect(read(root, routes)).toBe('')
  })
})

describe('api upgrade follows files', () => {
  it('deleted ones stay deleted', async () => {
    const { actions, root } = await upgrade((folder) => rmSync(join(folder, 'README.md')))
    expect(existsSync(join(root, 'README.md'))).toBe(false)
    expect(actions['README.md']).toBeUndefined()
  })

  it('a deleted folder of a resource stays deleted', async () => {
    const { root } = await upgrade((folder) => {
      rmSync(join(folder, 'src/resources/notes'), { recursive: true })
      edit(folder, registry, (text) => text.replaceAll(/^.*notes.*\n/gm, ''))
    })
    expect(existsSync(join(root, 'src/resources/notes'))).toBe(false)
    expect(read(root, registry)).not.toContain('notes')
  })

  it('a file that was deleted and written again is merged', async () => {
    const { actions, root } = await upgrade((folder) => {
      rmSync(join(folder, 'README.md'))
      commitAll(folder)
      write(folder, 'README.md', `${earlier['README.md'] ?? ''}\n## Mine\n`)
    })
    expect(actions['README.md']).toBe('merge')
    expect(read(root, 'README.md')).toMatch(/prompts for the password[^]*\n## Mine\n$/)
  })

  it('renamed ones are merged under their new name', async () => {
    const renamed = 'src/resources/posts/post-model.ts'
    const { actions, root } = await upgrade((folder) => {
      renameSync(join(folder, model), join(folder, renamed))
      for (const name of ['routes', 'service']) {
        const path = model.replace('model', name)
        write(folder, path, read(folder, path).replaceAll('posts.model.js', 'post-model.js'))
      }
      edit(folder, renamed, (text) => text.replace('trim: true', 'trim: true, lowercase: true'))
    })
    expect(actions).toMatchObject({ [renamed]: 'merge' })
    expect(actions[model]).toBeUndefined()
    expect(existsSync(join(root, model))).toBe(false)
    expect(read(root, renamed)).toContain(newImport)
    expect(read(root, renamed)).toContain('trim: true, lowercase: true')
  })

  it('moved ones are merged in their new folder, spaces and other letters included', async () => {
    const moved = 'test/the entire service/größe.test.ts'
    const { actions, root } = await upgrade((folder) => {
      mkdirSync(join(folder, dirname(moved)))
      renameSync(join(folder, test), join(folder, moved))
      edit(folder, moved, (text) => text.replaceAll("'../src/", "'../../src/"))
    })
    expect(actions).toMatchObject({ [moved]: 'merge' })
    expect(existsSync(join(root, test))).toBe(false)
    expect(read(root, moved)).toContain(newTitle)
  })

  it('the folder of all resources, moved with the setting', async () => {
    const { actions, code, root } = await upgrade((folder) => {
      renameSync(join(folder, 'src/resources'), join(folder, 'src/modules'))
      edit(folder, 'api.config.json', (text) => text.replace('src/resources', 'src/modules'))
      edit(folder, registry, (text) => text.replaceAll('./resources/', './modules/'))
    })
    expect({ code, actions }).toMatchObject({ code: 0 })
    expect(actions['src/modules/posts/posts.model.ts']).toBe('replace')
    expect(existsSync(join(root, 'src/resources'))).toBe(false)
    expect(read(root, 'src/modules/posts/posts.model.ts')).toContain(newImport)
    expect(read(root, registry)).toContain('./modules/posts/posts.routes.js')
  })

  it('a copy beside its file stays as it is', async () => {
    const copy = 'src/resources/posts/posts.model.copy.ts'
    const { root } = await upgrade(
      (folder) => {
        write(folder, copy, read(folder, model).replace('@create-api/core', 'elsewhere'))
      },
      [],
      { broken: true },
    )
    expect(read(root, copy)).toContain("from 'elsewhere'")
    expect(read(root, model)).toContain(newImport)
  })

  it('permissions stay, also when a file is moved', async () => {
    const moved = 'tools/app.test.ts'
    const { root } = await upgrade((folder) => {
      chmodSync(join(folder, model), 0o755)
      mkdirSync(join(folder, 'tools'))
      renameSync(join(folder, test), join(folder, moved))
      chmodSync(join(folder, moved), 0o700)
    })
    expect(statSync(join(root, model)).mode & 0o777).toBe(0o755)
    expect(statSync(join(root, moved)).mode & 0o777).toBe(0o700)
    expect(read(root, moved)).toContain(newTitle)
  })

  it('a symbolic link inside the project leads to the file', async () => {
    const { root } = await upgrade((folder) => {
      renameSync(join(folder, 'README.md'), join(folder, 'about.txt'))
      symlinkSync('about.txt', join(folder, 'README.md'))
    })
    expect(read(root, 'about.txt')).toContain('prompts for the password')
  })

  it('a symbolic link out of the project is left alone, and listed', async () => {
    const outside = join(createTemporaryFolder(), 'README.md')
    writeFileSync(outside, 'shared\n')
    const { actions } = await upgrade((folder) => {
      rmSync(join(folder, 'README.md'))
      symlinkSync(outside, join(folder, 'README.md'))
    })
    expect(actions['README.md']).toBe('keep')
    expect(readFileSync(outside, 'utf8')).toBe('shared\n')
  })

  it('a file that is not UTF-8 is left alone, and listed', async () => {
    const bytes = Buffer.concat([Buffer.from(earlier['README.md'] ?? ''), Buffer.from([0xe9, 10])])
    const { actions, root } = await upgrade((folder) => {
      writeFileSync(join(folder, 'README.md'), bytes)
    })
    expect(actions['README.md']).toBe('keep')
    expect(readFileSync(join(root, 'README.md'))).toEqual(bytes)
  })

  it('a file of the user where the template has a new one is a conflict', async () => {
    const { actions, code, root } = await upgrade((folder) => {
      write(folder, 'src/access.ts', 'export const mine = 1\n')
    })
    expect({ code, action: actions['src/access.ts'] }).toEqual({ code: 3, action: 'conflict' })
    expect(read(root, 'src/access.ts')).toContain('export const mine = 1\n')
  })
})

describe('api upgrade keeps the form of files', () => {
  it('CRLF', async () => {
    const { actions, root } = await upgrade((folder) => {
      edit(folder, model, (text) => text.replaceAll('\n', '\r\n'))
      edit(folder, service, (text) => `${text}// mine\n`.replaceAll('\n', '\r\n'))
      edit(folder, 'package.json', (text) => text.replaceAll('\n', '\r\n'))
    })
    expect(actions).toMatchObject({ [model]: 'replace', [service]: 'merge' })
    for (const path of [model, service, 'package.json']) {
      expect(read(root, path).replaceAll('\r\n', '')).not.toContain('\n')
    }
    expect(read(root, service)).toContain(`${newOption}\r\n`)
    expect(read(root, service)).toMatch(/\/\/ mine\r\n$/)
  })

  it('a mix of line endings', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, service, (text) => `${text}// one\r\n// two\n`)
    })
    expect(read(root, service)).toMatch(/\n\/\/ one\r\n\/\/ two\n$/)
    expect(read(root, service)).toContain(`${newOption}\n`)
  })

  it('a byte order mark', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, model, (text) => `\uFEFF${text}`)
    })
    expect(read(root, model).startsWith(`\uFEFF${newImport}`)).toBe(true)
  })

  it('a missing newline at the end', async () => {
    const { code, root } = await upgrade((folder) => {
      edit(folder, test, (text) => text.trimEnd())
    })
    expect(code).toBe(0)
    expect(read(root, test)).toContain(newTitle)
    expect(read(root, test).endsWith('\n')).toBe(false)
  })

  it('code that the formatter of the project has laid out with its own settings', async () => {
    const { actions, code, root } = await upgrade((folder) => {
      write(folder, '.prettierrc.json', '{ "semi": true, "tabWidth": 4 }\n')
      edit(folder, 'api.config.json', (text) => text.replace('"auto"', '"prettier"'))
      symlinkSync(modules, join(folder, 'node_modules'))
      write(folder, '.gitignore', `node_modules\n${earlier['.gitignore'] ?? ''}`)
      const bin = join(modules, 'prettier/bin/prettier.cjs')
      for (const path of [model, service, test]) {
        const options = { cwd: folder, encoding: 'utf8' } as const
        write(folder, path, execFileSync(process.execPath, [bin, path], options))
      }
      edit(folder, service, (text) => `${text}\nexport const mine = 1;\n`)
    })
    expect({ code, model: actions[model], service: actions[service] }).toEqual({
      code: 0,
      model: 'merge',
      service: 'merge',
    })
    expect(read(root, model)).toContain(`${newImport.replaceAll("'", '"')};`)
    expect(read(root, service)).toContain('    return findPage(PostModel, query, options);')
    expect(read(root, service)).toContain('export const mine = 1;')
  })
})

describe('api upgrade merges JSON by key', () => {
  // The earlier project ran another program.
  const current = (earlier['package.json'] ?? '').replace(/"dev": "[^"]+"/, '"dev": "api dev"')
  // As if the template had had other ranges, scripts and keys.
  const older = current
    .replace(/"oxlint": "[^"]+"/, '"oxlint": "^1.0.0"')
    .replace(/"zod": "[^"]+"/, '"zod": "^4.0.0"')
    .replace('"test": "vitest run"', '"test": "vitest"')
    .replace('    "typecheck": "tsc --noEmit",\n', '    "types": "tsc",\n')
  const options = { generated: { 'package.json': older } }

  it('keeps added dependencies and scripts, and takes what is new', async () => {
    const { actions, code, root } = await upgrade(
      (folder) => {
        edit(folder, 'package.json', (text) =>
          text
            .replace('"dependencies": {', '"dependencies": {\n    "@aws/s3": "^3.0.0",')
            .replace('"dev":', '"seed": "node seed.js",\n    "dev":'),
        )
      },
      [],
      options,
    )
    const expected = current
      .replace('"dependencies": {', '"dependencies": {\n    "@aws/s3": "^3.0.0",')
      .replace('"dev":', '"seed": "node seed.js",\n    "dev":')
    expect({ code, action: actions['package.json'] }).toEqual({ code: 0, action: 'merge' })
    expect(read(root, 'package.json')).toBe(expected)
  })

  it('keeps what was removed, and the later one of two ranges', async () => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, 'package.json', (text) =>
          text.replace(/ {4}"oxlint": .*\n/, '').replace('"zod": "^4.0.0"', '"zod": "^4.99.0"'),
        )
      },
      [],
      options,
    )
    const { dependencies, devDependencies, scripts } = JSON.parse(read(root, 'package.json'))
    expect(code).toBe(0)
    expect(devDependencies).not.toHaveProperty('oxlint')
    expect(dependencies.zod).toBe('^4.99.0')
    expect(scripts).toMatchObject({ test: 'vitest run', typecheck: 'tsc --noEmit' })
    expect(scripts).not.toHaveProperty('types')
  })

  it('marks a key that both have changed, and only that', async () => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, 'package.json', (text) =>
          text.replace('"test": "vitest"', '"test": "node --test"'),
        )
      },
      [],
      options,
    )
    expect(code).toBe(3)
    const text = read(root, 'package.json')
    expect(text).toContain(
      '<<<<<<< yours\n    "test": "node --test",\n=======\n    "test": "vitest run",\n>>>>>>> ',
    )
    expect(text.match(/^<<<<<<< /gm)).toHaveLength(1)
    const resolved = text.replace(/^<<<<<<< .*\n/m, '').replace(/^=======\n[^]*?>>>>>>> .*\n/m, '')
    expect(JSON.parse(resolved).scripts).toMatchObject({ typecheck: 'tsc --noEmit' })
  })

  it.each([
    ['--ours', 'node --test'],
    ['--theirs', 'vitest run'],
  ])('resolves a key that both have changed with %s', async (flag, expected) => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, 'package.json', (text) =>
          text.replace('"test": "vitest"', '"test": "node --test"'),
        )
      },
      [flag],
      options,
    )
    expect(code).toBe(0)
    expect(JSON.parse(read(root, 'package.json')).scripts).toMatchObject({
      test: expected,
      typecheck: 'tsc --noEmit',
    })
  })

  it('keeps comments and the indentation of the user', async () => {
    const { root } = await upgrade(
      (folder) => {
        edit(folder, 'tsconfig.json', (text) =>
          text
            .replaceAll('  ', '\t')
            .replace('\t\t"strict"', '\t\t// Of course.\n\t\t"jsx": "preserve",\n\t\t"strict"'),
        )
      },
      [],
      {
        generated: {
          'tsconfig.json': (earlier['tsconfig.json'] ?? '').replace(
            '"noImplicitOverride": true',
            '"noImplicitOverride": false',
          ),
        },
      },
    )
    const text = read(root, 'tsconfig.json')
    expect(text).toContain('\t\t// Of course.\n\t\t"jsx": "preserve",\n\t\t"strict": true')
    expect(text).toContain('\t\t"noImplicitOverride": true')
  })

  it('merges lists as sets', async () => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, 'tsconfig.json', (text) => text.replace('"test"', '"test", "scripts"'))
      },
      [],
      {
        generated: {
          'tsconfig.json': (earlier['tsconfig.json'] ?? '').replace(
            '"test", "*.ts"',
            '"test", "old"',
          ),
        },
      },
    )
    expect(code).toBe(0)
    expect(read(root, 'tsconfig.json')).toContain('"include": ["src", "test", "scripts", "*.ts"]')
  })

  it('keeps comments inside values that change', async () => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, 'tsconfig.json', (text) =>
          text.replace('"test", "old"', '"test", /* x */ "old"'),
        )
      },
      ['--ours'],
      {
        generated: {
          'tsconfig.json': (earlier['tsconfig.json'] ?? '').replace(
            '"test", "*.ts"',
            '"test", "old"',
          ),
        },
      },
    )
    expect(code).toBe(0)
    expect(read(root, 'tsconfig.json')).toContain('"test", /* x */ "old"')
  })

  it('merges by lines what is not valid JSON', async () => {
    const { root } = await upgrade(
      (folder) => {
        edit(folder, 'package.json', (text) => `${text}oops\n`)
      },
      [],
      { ...options, broken: true },
    )
    expect(read(root, 'package.json')).toContain('"zod": "^4.')
    expect(read(root, 'package.json')).toMatch(/\noops\n$/)
  })

  it('keeps the settings of api.config.json', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, 'api.config.json', (text) =>
        text.replace('"uncountable": []', '"uncountable": ["stuff"]'),
      )
    })
    expect(JSON.parse(read(root, 'api.config.json')).inflections.uncountable).toEqual(['stuff'])
  })
})

describe('api upgrade keeps the registry working', () => {
  // As if the comments of the markers had been others.
  const generated = {
    [registry]: (earlier[registry] ?? '').replaceAll(/(<api:\w+>) .*/g, '$1 inserted here'),
  }

  it('unedited, it has the mounts and the new text around them', async () => {
    const { actions, code, root } = await upgrade(() => undefined, [], { generated })
    expect({ code, action: actions[registry] }).toEqual({ code: 0, action: 'replace' })
    expect(read(root, registry)).toContain(
      "// <api:imports> `api generate` adds imports above the closing line\nimport { postsRouter } from './resources/posts/posts.routes.js'\n",
    )
    expect(read(root, registry)).not.toContain('inserted here')
    expect(read(root, registry)).toContain(
      "routes.use('/api/notes', notesRouter)\n// </api:mounts>",
    )
  })

  it('own routes and mounts in another order stay', async () => {
    const { code, root } = await upgrade(
      (folder) => {
        edit(folder, registry, (text) => {
          const [first = '', second = ''] = text.match(/^routes\.use.*\n/gm) ?? []
          return text
            .replace(first + second, second + first)
            .replace(
              'export const routes',
              "import { mine } from './mine.js'\n\nexport const routes",
            )
            .concat("\nroutes.use('/mine', mine)\n")
        })
        write(
          folder,
          'src/mine.ts',
          "import { createRouter } from '@create-api/core'\n\nexport const mine = createRouter([])\n",
        )
      },
      [],
      { generated },
    )
    const text = read(root, registry)
    expect(code).toBe(0)
    expect(text).toMatch(/\/api\/notes[^]*\/api\/posts[^]*<\/api:mounts>[^]*'\/mine', mine\)\n$/)
    expect(text).not.toContain('inserted here')
    const again = await runProgram(createApiProgram, ['generate', 'resource', 'tags'], {
      cwd: root,
    })
    expect(again.code).toBe(0)
  })

  it('resources are generated, changed and destroyed after an upgrade', async () => {
    const { root } = await upgrade((folder) => {
      edit(folder, service, (text) => `${text}// mine\n`)
    })
    const run = (...args: string[]): Promise<Result> =>
      runProgram(createApiProgram, args, { cwd: root })
    expect(await run('add', 'field', 'posts', 'rank:int:optional', '--skip-edited')).toMatchObject({
      code: 0,
    })
    expect(read(root, model)).toContain('rank: {')
    expect(await run('destroy', 'resource', 'notes')).toMatchObject({ code: 0 })
    expect(existsSync(join(root, '.api/base/notes.json.gz'))).toBe(false)
  })
})

describe('api upgrade changes imports', () => {
  it('of moved exports, in files that no template wrote', async () => {
    const own = 'src/lib/search.ts'
    const { actions, root } = await upgrade((folder) => {
      write(
        folder,
        own,
        "import { ApiError, findPage as find, type Page } from '@create-api/core'\nexport { ApiError, find }\nexport type { Page }\n",
      )
    })
    expect(actions[own]).toBe('merge')
    expect(read(root, own)).toBe(
      "import { ApiError } from '@create-api/core'\nimport { findPage as find, type Page } from '@create-api/core/resource'\nexport { ApiError, find }\nexport type { Page }\n",
    )
  })

  it('and keeps the comments inside them', async () => {
    const own = 'src/lib/search.ts'
    const { root } = await upgrade((folder) => {
      const code =
        "import {\n  // one\n  ApiError,\n  findPage, /* two */\n} from '@create-api/core'\n"
      write(folder, own, `${code}export { ApiError, findPage }\n`)
    })
    expect(read(root, own)).toContain(
      "// one\n/* two */\nimport { ApiError } from '@create-api/core'\nimport { findPage } from",
    )
  })

  it('and no secrets, scripts or files of others', async () => {
    const { root } = await upgrade((folder) => {
      write(folder, '.env', 'JWT_SECRET=mine\n')
      edit(folder, '.env.example', (text) => `${text}\n# Mine.\nMINE=1\n`)
      write(folder, 'notes.md', "import { findPage } from '@create-api/core'\n")
    })
    expect(read(root, '.env')).toBe('JWT_SECRET=mine\n')
    expect(read(root, '.env.example')).toMatch(/\n# Mine\.\nMINE=1\n$/)
    expect(read(root, 'notes.md')).toBe("import { findPage } from '@create-api/core'\n")
  })
})
