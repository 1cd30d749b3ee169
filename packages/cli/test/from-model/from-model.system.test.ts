import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { compile } from '../compile-project.ts'
import { createLinkedProject, runGeneratedTests, sourceEnv } from '../linked-project.ts'
import { type Result, runProgram } from '../run-program.ts'
import { styles } from './model-files.ts'

function runApi(root: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd: root, env: sourceEnv })
}

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

describe('api generate resource --from-model', () => {
  it('uses models of existing applications, and the generated tests and types are right', async () => {
    const root = await createLinkedProject()
    for (const { args = [], files, model, resource } of styles) {
      writeFiles(root, files)
      const result = await runApi(
        root,
        'generate',
        'resource',
        resource,
        '--from-model',
        model,
        ...args,
      )
      expect(result.stderr).not.toContain('error')
      expect(result.code).toBe(0)
    }
    for (const [path, text] of styles.flatMap(({ files }) => Object.entries(files))) {
      expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    }
    expect(compile(root)).toEqual([])
    runGeneratedTests(root)
  })

  it('leaves the model to the application when fields change and the resource goes', async () => {
    const root = await createLinkedProject()
    const file = 'src/models/note.ts'
    const source =
      "import { model, Schema } from 'mongoose'\n\nmodel('Note', new Schema({ text: String }))\n"
    writeFiles(root, { [file]: source })
    const generate = ['generate', 'resource', 'notes', '--from-model', file]
    expect(await runApi(root, ...generate)).toMatchObject({ code: 0 })
    const again = await runApi(root, ...generate, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      changed: false,
      model: { name: 'Note', file, collection: 'notes' },
    })
    expect(await runApi(root, 'generate', 'resource', 'notes', '--check')).toMatchObject({
      code: 0,
    })
    const added = await runApi(root, 'add', 'field', 'notes', 'title')
    expect([added.code, added.stderr]).toEqual([2, expect.stringContaining(`the model in ${file}`)])
    const typed = await runApi(root, ...generate, 'title:string')
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('decides that')])
    expect(await runApi(root, 'destroy', 'resource', 'notes')).toMatchObject({ code: 0 })
    expect(readFileSync(join(root, file), 'utf8')).toBe(source)
    expect(existsSync(join(root, 'src/resources/notes/notes.service.ts'))).toBe(false)
  })

  it('checks references only to models that its file loads', async () => {
    const root = await createLinkedProject()
    const own = (name: string, ref: string): string =>
      `import { model, Schema } from 'mongoose'\nexport const ${name} = model('${name}', new Schema({ title: String, maker: { type: Schema.Types.ObjectId, ref: '${ref}' } }))\n`
    writeFiles(root, {
      'src/models/maker.ts':
        "import { model, Schema } from 'mongoose'\nexport const Maker = model('Maker', new Schema({ name: String }))\n",
      'src/models/alone.ts': own('Alone', 'Maker'),
      'src/models/loading.ts': `import './maker.js'\n${own('Loading', 'Maker')}`,
      'src/models/account.ts': own('Account', 'User'),
    })
    const generate = (plural: string, file: string): Promise<Result> =>
      runApi(root, 'generate', 'resource', plural, '--from-model', `src/models/${file}.ts`)
    const alone = await generate('alones', 'alone')
    expect(alone.stderr).toContain(
      'src/models/alone.ts does not load the model "Maker", so the generated test does not check references to it',
    )
    for (const [plural, file] of [
      ['loadings', 'loading'],
      ['accounts', 'account'],
    ] as const) {
      const { code, stderr } = await generate(plural, file)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('does not load')])
    }
    const read = (plural: string): string =>
      readFileSync(join(root, `src/resources/${plural}/${plural}.test.ts`), 'utf8')
    expect(read('alones')).not.toContain('rejects an unknown')
    expect(read('loadings')).toContain('rejects an unknown maker')
    expect(read('accounts')).toContain('rejects an unknown maker')
    runGeneratedTests(root)
  })

  const faults: readonly (readonly [source: string, model: string, message: string])[] = [
    ["throw new TypeError('no settings')", 'a.ts', 'TypeError: no settings'],
    ["import 'absent'", 'a.ts', "Cannot find package 'absent'"],
    ['export const a = 1', 'a.ts', 'a.ts has no model of Mongoose'],
    [
      "import { model, Schema } from 'mongoose'\nexport const A = model('A', new Schema({}))\nexport const B = model('B', new Schema({}))",
      'a.ts',
      'a.ts has several models: A, B',
    ],
    [
      "import { model, Schema } from 'mongoose'\nexport const A = model('A', new Schema({}))",
      'a.ts#B',
      'there is no model B in a.ts',
    ],
    [
      "import { createConnection, Schema } from 'mongoose'\nexport const A = createConnection('mongodb://127.0.0.1:9').model('A', new Schema({}))",
      'a.ts',
      'the model A belongs to another connection',
    ],
    [
      "import { model, Schema } from 'mongoose'\nexport const A = model('A', new Schema({\n  photo: { type: Buffer, required: true },\n}))",
      'a.ts',
      'a.ts:3: the required field "photo" cannot be sent: binary data has no form in JSON',
    ],
    [
      "import { model, Schema } from 'mongoose'\nexport const A = model('A', new Schema({ _id: { a: Number, b: Number } }))",
      'a.ts',
      'which paths cannot contain',
    ],
    ['', 'b.ts', 'there is no such file'],
    ['', '../a.ts', 'the file is outside of the project'],
    ['', 'package.json', 'that is not a module of JavaScript or TypeScript'],
  ]

  it('names what cannot be used', async () => {
    const root = await createLinkedProject()
    for (const [source, model, message] of faults) {
      writeFiles(root, { 'a.ts': source })
      const result = await runApi(root, 'generate', 'resource', 'posts', '--from-model', model)
      expect(result.stderr).toContain(message)
      expect(result.code).toBeGreaterThan(0)
    }
  })
})
