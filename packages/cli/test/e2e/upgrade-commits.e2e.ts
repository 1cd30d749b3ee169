import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import {
  commitAll,
  type EarlierCommit,
  earlierCommits,
  git,
  unpackEarlier,
  write,
} from '../earlier-projects/unpack.ts'
import { runGeneratedTests } from '../linked-project.ts'
import { createTemporaryFolder, readTree, type Result, runProgram } from '../run-program.ts'

const posts = 'src/resources/posts'
const notes = 'src/resources/notes'
const mine = '// A line of mine, only here.'
const other = '// Another line of mine.'

type Lines = (lines: readonly string[]) => readonly string[]

function edit(root: string, path: string, change: (text: string) => string): void {
  const before = readFileSync(join(root, path), 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(join(root, path), after)
}

function editLines(root: string, path: string, change: Lines): void {
  edit(root, path, (text) => change(text.split('\n')).join('\n'))
}

function move(root: string, from: string, to: string): void {
  mkdirSync(join(root, to, '..'), { recursive: true })
  renameSync(join(root, from), join(root, to))
}

function insertAt(part: number): Lines {
  return (lines) => lines.toSpliced(Math.floor(lines.length * part), 0, mine)
}

// Each edits a project; `mine` and `other` have to be in it afterwards, the returned paths not.
const kinds: Readonly<Record<string, (root: string) => readonly string[] | void>> = {
  'a line at the start': (root) => editLines(root, `${posts}/posts.service.ts`, insertAt(0)),
  'a line after a quarter': (root) => editLines(root, `${posts}/posts.service.ts`, insertAt(0.25)),
  'a line in the middle': (root) => editLines(root, `${posts}/posts.model.ts`, insertAt(0.5)),
  'a line after three quarters': (root) =>
    editLines(root, `${notes}/notes.test.ts`, insertAt(0.75)),
  'a line at the end': (root) => editLines(root, `${posts}/posts.routes.ts`, insertAt(1)),
  'a changed line': (root) =>
    editLines(root, `${posts}/posts.validation.ts`, (lines) => lines.with(6, mine)),
  'two changed lines': (root) =>
    editLines(root, `${posts}/posts.test.ts`, (lines) => lines.with(30, mine).with(60, other)),
  'each second line changed': (root) =>
    editLines(root, `${posts}/posts.controller.ts`, (lines) => [
      mine,
      ...lines.map((line, index) => (index % 2 === 0 ? line : `${line} // changed`)),
    ]),
  'a removed line': (root) => {
    editLines(root, `${posts}/posts.service.ts`, (lines) => lines.toSpliced(3, 1))
  },
  'a removed half': (root) => {
    editLines(root, `${posts}/posts.service.ts`, (lines) => lines.slice(0, lines.length / 2))
  },
  'a moved block': (root) =>
    editLines(root, `${notes}/notes.service.ts`, (lines) => [
      ...lines.slice(20),
      mine,
      ...lines.slice(0, 20),
    ]),
  'another text': (root) => write(root, `${posts}/posts.routes.ts`, `${mine}\n${other}\n`),
  'no text at all': (root) => write(root, `${posts}/posts.validation.ts`, ''),
  'another indentation': (root) =>
    edit(root, `${posts}/posts.model.ts`, (text) => `${mine}\n${text.replaceAll(/^ {2}/gm, '\t')}`),
  'other line endings': (root) =>
    edit(root, 'src/app.ts', (text) => `${mine}\n${text}`.replaceAll('\n', '\r\n')),
  'mixed line endings': (root) => edit(root, 'src/app.ts', (text) => `${mine}\r\n${text}`),
  'a byte order mark': (root) => edit(root, 'src/app.ts', (text) => `\uFEFF${text}${mine}\n`),
  'no newline at the end': (root) => edit(root, 'test/app.test.ts', (text) => `${text}${mine}`),
  'spaces at ends of lines': (root) =>
    edit(root, 'src/server.ts', (text) => `${text.replaceAll('\n', '  \n')}${mine}\n`),
  'a deleted file': (root) => {
    rmSync(join(root, 'Dockerfile'))
    return ['Dockerfile']
  },
  'a deleted folder': (root) => {
    rmSync(join(root, notes), { recursive: true })
    return [`${notes}/notes.model.ts`, `${notes}/notes.test.ts`]
  },
  'a deleted file, written again': (root) => {
    const text = readFileSync(join(root, 'src/app.ts'), 'utf8')
    rmSync(join(root, 'src/app.ts'))
    commitAll(root)
    write(root, 'src/app.ts', `${text}${mine}\n`)
  },
  'a renamed file': (root) => {
    move(root, `${posts}/posts.model.ts`, `${posts}/model.ts`)
    return [`${posts}/posts.model.ts`]
  },
  'a moved file': (root) => {
    move(root, 'src/app.ts', 'src/the service/größe.ts')
    return ['src/app.ts']
  },
  'a moved file with edits': (root) => {
    move(root, 'src/server.ts', 'src/start/index.ts')
    editLines(root, 'src/start/index.ts', insertAt(1))
    return ['src/server.ts']
  },
  'two files that changed places': (root) => {
    edit(root, `${posts}/posts.model.ts`, (text) => `${text}${mine}\n`)
    edit(root, `${notes}/notes.model.ts`, (text) => `${text}${other}\n`)
    move(root, `${posts}/posts.model.ts`, 'between')
    move(root, `${notes}/notes.model.ts`, `${posts}/posts.model.ts`)
    move(root, 'between', `${notes}/notes.model.ts`)
  },
  'a copied file': (root) => {
    cpSync(join(root, `${posts}/posts.model.ts`), join(root, `${posts}/posts.copy.ts`))
    edit(root, `${posts}/posts.copy.ts`, (text) => text + mine)
  },
  'other permissions': (root) => {
    chmodSync(join(root, 'src/app.ts'), 0o755)
  },
  'a symbolic link in the project': (root) => {
    move(root, 'Dockerfile', 'containers/service')
    symlinkSync('containers/service', join(root, 'Dockerfile'))
    editLines(root, 'containers/service', insertAt(1))
  },
  'a symbolic link out of the project': (root) => {
    const file = join(createTemporaryFolder(), 'Dockerfile')
    writeFileSync(file, 'shared')
    rmSync(join(root, 'Dockerfile'))
    symlinkSync(file, join(root, 'Dockerfile'))
  },
  'bytes that are not text': (root) =>
    writeFileSync(join(root, 'Dockerfile'), Buffer.from(`${mine}\n\u00E9`, 'latin1')),
  'a file where a template is new': (root) => write(root, 'src/access.ts', `${mine}\n`),
  'an additional file': (root) => write(root, 'src/lib/own.ts', `${mine}\nexport const own = 1\n`),
  'an import of an export that moved': (root) =>
    write(
      root,
      'src/own.ts',
      `${mine}\nexport { api } from './app.js'\nimport {\n  ${other}\n  ApiError,\n  findPage,\n} from '@create-api/core'\nApiError\nfindPage\n`,
    ),
  'a dependency and a script': (root) =>
    edit(root, 'package.json', (text) =>
      text
        .replace('"scripts": {', `"scripts": {\n    "mine": "echo '${mine}'",`)
        .replace('"dependencies": {', '"dependencies": {\n    "left-pad": "^1.0.0",'),
    ),
  'a removed script': (root) =>
    edit(root, 'package.json', (text) =>
      text
        .replace(/ *"api".*\n/, '')
        .replace('"vitest",\n', '"vitest"\n')
        .replace(/("check": ".*"),\n/, '$1\n'),
    ),
  'comments in JSON': (root) =>
    edit(root, 'tsconfig.json', (text) => text.replace('{', `{\n  ${mine}\n  ${other}`)),
  'a pattern for git': (root) => edit(root, '.gitignore', (text) => `${mine}\n${text}`),
  'a step of a workflow': (root) =>
    edit(root, '.github/workflows/ci.yml', (text) => `${text}      # ${mine}\n`),
  'a setting of a container': (root) => edit(root, 'Dockerfile', (text) => `${text}# ${mine}\n`),
  'a line among the mounts': (root) =>
    edit(root, 'src/routes.ts', (text) => text.replace(/^routes\.use/m, `${mine}\nroutes.use`)),
  'mounts in another order': (root) =>
    edit(root, 'src/routes.ts', (text) =>
      text.replace(/(^routes\.use.*\n)(^routes\.use.*\n)/m, '$2$1'),
    ),
}

function countIn(root: string, line: string): number {
  const texts = [...readTree(root)].filter(([path]) => !path.startsWith('.api/'))
  return texts.filter(([, text]) => text.includes(line)).length
}

function upgrade(root: string): Promise<Result> {
  return runProgram(createApiProgram, ['upgrade'], { cwd: root })
}

// Each kind of edit with one of the commits; UPGRADE_COMMITS=all tries it with each.
function chooseKinds(
  commit: EarlierCommit,
): [string, (root: string) => readonly string[] | void][] {
  const turn = earlierCommits.indexOf(commit)
  const isAll = process.env['UPGRADE_COMMITS'] === 'all'
  return Object.entries(kinds).filter((_, at) => isAll || at % earlierCommits.length === turn)
}

describe.each(earlierCommits)('api upgrade of a project of %s keeps', (commit) => {
  it.each(chooseKinds(commit))('%s', async (_, change) => {
    const root = unpackEarlier(commit)
    const gone = change(root) ?? []
    const kept = [mine, other].map((line) => [line, countIn(root, line)] as const)
    const mode = existsSync(join(root, 'src/app.ts')) && statSync(join(root, 'src/app.ts')).mode
    commitAll(root)
    const { code, stderr, stdout } = await upgrade(root)
    expect({ code: [0, 3].includes(code), stderr }).toMatchObject({ code: true })
    const marks = [...readTree(root)].filter(([, text]) => /^<<<<<<< yours\r?$/m.test(text))
    expect({ code, stdout }).toMatchObject({ code: marks.length === 0 ? 0 : 3 })
    for (const [line, count] of kept)
      expect({ line, count: countIn(root, line) }).toEqual({ line, count })
    expect(gone.filter((path) => existsSync(join(root, path)))).toEqual([])
    if (existsSync(join(root, 'src/app.ts')))
      expect(statSync(join(root, 'src/app.ts')).mode).toBe(mode)
    commitAll(root)
    expect(await upgrade(root)).toMatchObject({ code: 0 })
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('the generated tests working', async () => {
    const root = unpackEarlier(commit)
    for (const kind of [
      'a line in the middle',
      'an additional file',
      'spaces at ends of lines',
      'other line endings',
      'no newline at the end',
      'a dependency and a script',
      'comments in JSON',
      'mounts in another order',
    ])
      kinds[kind]?.(root)
    commitAll(root)
    expect(await upgrade(root)).toMatchObject({ code: 0 })
    runGeneratedTests(root)
  })
})
