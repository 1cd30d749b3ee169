import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

const model = 'src/resources/posts/posts.model.ts'

// Every type, as it can be added to a resource.
const everyType = [
  ['summary:string:optional'],
  ['slug:string:unique:max=60'],
  ['body:text'],
  ['code:string:match=^[A-Z]{3}$'],
  ['stars:int:min=1:max=5'],
  ['price:number:min=0'],
  ['weight:decimal:default=1.5'],
  ['published:boolean:default=false'],
  ['startsAt:date', 'endsAt:date:default=now'],
  ['dueOn:day', 'paidOn:day:optional', 'closedOn:day:array', 'openOn:day:default=2026-01-31'],
  ['contact:email', 'site:url', 'token:uuid:unique'],
  ['place:objectid', 'author:ref:User', 'parent:ref:Post:optional'],
  ['meta:object', 'extra:any'],
  ['status:enum:draft,live', 'tags:array:string', 'marks:array:int:min=2'],
]

describe('api add field', () => {
  it('changes model, validation and test, and remembers the field', async () => {
    const root = await createProject(['posts title:string body:text'])
    const { code, stdout, stderr } = await api(root, 'add', 'field', 'Post', 'price:number:min=0')
    expect(code).toBe(0)
    expect(stdout).toMatch(/update {5}src\/resources\/posts\/posts\.model\.ts +\+\d+ −\d+/)
    expect(stdout).toContain('Post now has title, body, price')
    expect(stderr).toContain('next: npm test -- posts')
    expect(read(root, model)).toContain('price: { type: Number, required: true, min: 0 },')
    const again = await api(root, 'generate', 'resource', 'posts')
    expect(again.stdout).toContain('Nothing to do.')
    const whole = await createProject(['posts title:string body:text price:number:min=0'])
    for (const [path, text] of readTree(join(whole, 'src/resources'))) {
      expect(read(root, `src/resources/${path}`)).toBe(text)
    }
  })

  it.each(everyType)('add and remove leave the tree as it was: %s', async (...fields) => {
    const root = await createProject(['posts title:string', 'tags name:string'])
    const before = readTree(root)
    expect(await api(root, 'add', 'field', 'posts', ...fields)).toMatchObject({ code: 0 })
    expect(readTree(root)).not.toEqual(before)
    const names = fields.map((field) => field.replace(/:.*/, ''))
    expect(await api(root, 'remove', 'field', 'posts', ...names)).toMatchObject({ code: 0 })
    expect(readTree(root)).toEqual(before)
  })

  it('shows the lines for files that were edited, and writes nothing', async () => {
    const root = await createProject(['posts title:string'])
    const own = read(root, model).replace('trim: true', 'trim: true, lowercase: true')
    writeFileSync(join(root, model), own)
    const before = readTree(root)
    const { code, stderr } = await api(root, 'add', 'field', 'posts', 'price:number')
    expect(code).toBe(3)
    expect(stderr).toContain('error: 1 file was edited; nothing was written')
    expect(stderr).toContain(`--- a/${model}`)
    expect(stderr).toContain('\n+    price: { type: Number, required: true },\n')
    expect(stderr).toContain('--skip-edited')
    expect(readTree(root)).toEqual(before)
    const dry = await api(root, 'add', 'field', 'posts', 'price:number', '--dry-run')
    expect(dry.code).toBe(3)
  })

  it('keeps edited files and writes the rest with --skip-edited', async () => {
    const root = await createProject(['posts title:string'])
    const own = `${read(root, model)}// mine\n`
    writeFileSync(join(root, model), own)
    const args = ['add', 'field', 'posts', 'price:number', '--skip-edited']
    const { code, stdout } = await api(root, ...args)
    expect(code).toBe(0)
    expect(stdout).toContain(`  keep       ${model}`)
    expect(stdout).toContain('\n+    price: { type: Number, required: true },\n')
    expect(read(root, model)).toBe(own)
    expect(read(root, 'src/resources/posts/posts.validation.ts')).toContain('price: z.number()')
  })

  it('overwrites edited files with --force', async () => {
    const root = await createProject(['posts title:string'])
    writeFileSync(join(root, model), '// mine\n')
    expect((await api(root, 'add', 'field', 'posts', 'price:number', '--force')).code).toBe(0)
    expect(read(root, model)).toContain('price: { type: Number, required: true }')
  })

  it('leaves edits alone in files that a field does not touch', async () => {
    const root = await createProject(['posts title:string'])
    const controller = join(root, 'src/resources/posts/posts.controller.ts')
    writeFileSync(controller, '// mine\n')
    expect((await api(root, 'add', 'field', 'posts', 'price:number:optional')).code).toBe(0)
    expect(readFileSync(controller, 'utf8')).toBe('// mine\n')
  })

  it('does not bring back a file that was deleted, and keeps CRLF', async () => {
    const root = await createProject(['posts title:string'])
    rmSync(join(root, 'src/resources/posts/posts.test.ts'))
    const crlf = read(root, model).replaceAll('\n', '\r\n')
    writeFileSync(join(root, model), crlf)
    const before = readTree(root)
    expect((await api(root, 'add', 'field', 'posts', 'price:number')).code).toBe(0)
    expect(read(root, model).replaceAll('\r\n', '')).not.toContain('\n')
    expect((await api(root, 'remove', 'field', 'posts', 'price')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
  })

  it('says which field is wrong, and where', async () => {
    const root = await createProject(['posts title:string', 'notes text:text'])
    const before = readTree(root)
    const wrong = await api(root, 'add', 'field', 'posts', 'price:nubmer', 'x:int:min=a')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('  price:nubmer\n        ^^^^^^  did you mean "number"?')
    expect(wrong.stderr).toContain('error: "a" is not a whole number')
    const taken = await api(root, 'add', 'field', 'posts', 'price:int', 'title:text')
    expect(taken.code).toBe(2)
    expect(taken.stderr).toContain(
      'error: posts has a field "title" already\n  title:text\n  ^^^^^',
    )
    expect(taken.stderr).toContain('api remove field posts title')
    const unknown = await api(root, 'add', 'field', 'psots', 'price:int')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('did you mean "posts"?')
    expect((await api(root, 'add', 'field', 'posts')).code).toBe(2)
    expect(readTree(root)).toEqual(before)
  })

  it('writes nothing for a dry run, and shows the lines', async () => {
    const root = await createProject(['posts title:string'])
    const before = readTree(root)
    const { code, stdout } = await api(root, 'add', 'field', 'posts', 'price:number', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('Dry run: nothing was written.')
    expect(stdout).toContain('+    price: { type: Number, required: true },')
    expect(readTree(root)).toEqual(before)
  })

  it('prints one JSON document', async () => {
    const root = await createProject(['posts title:string'])
    const done = await api(root, 'add', 'field', 'posts', 'price:number', '--json')
    expect(JSON.parse(done.stdout)).toMatchObject({
      ok: true,
      command: 'add field',
      resource: 'posts',
      added: ['price'],
      removed: [],
      files: expect.arrayContaining([{ path: model, action: 'update' }]),
      warnings: [{ code: 'MIGRATION' }],
    })
    writeFileSync(join(root, model), '// mine\n')
    const refused = await api(root, 'add', 'field', 'posts', 'size:int', '--json')
    expect(refused.code).toBe(3)
    expect(JSON.parse(refused.stdout)).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT', exit: 3, files: [model] },
    })
  })
})

describe('migrations', () => {
  function migrations(root: string): readonly string[] {
    return readdirSync(join(root, 'src/migrations'))
  }

  it('come with fields that clients are promised, one each', async () => {
    const root = await createProject(['posts title:string'])
    const fields = ['price:number:min=1', 'slug:string:unique', 'note:text:optional']
    const { stdout, stderr } = await api(root, 'add', 'field', 'posts', ...fields)
    const [price = '', slug = '', ...others] = migrations(root)
    expect(price).toMatch(/^\d{14}-add-price-to-posts\.ts$/)
    expect(slug).toMatch(/^\d{14}-add-slug-to-posts\.ts$/)
    expect(others).toEqual([])
    expect(stdout).toContain(`  create     src/migrations/${price}`)
    expect(stderr).toContain('api migrate up')
    expect(read(root, `src/migrations/${price}`)).toContain('{ $set: { price: 1 } },')
    expect(read(root, `src/migrations/${slug}`)).toContain('return `slug ${count}`')
  })

  it('do not come with optional fields, nor with --no-migration', async () => {
    const root = await createProject(['posts title:string'])
    await api(root, 'add', 'field', 'posts', 'note:text:optional')
    await api(root, 'add', 'field', 'posts', 'price:number', '--no-migration')
    expect([...readTree(root).keys()].join()).not.toContain('migrations')
  })

  it('stay when they were edited, and go with the resource otherwise', async () => {
    const root = await createProject(['posts title:string'])
    await api(root, 'add', 'field', 'posts', 'price:number')
    const [name = ''] = migrations(root)
    const path = join(root, 'src/migrations', name)
    writeFileSync(path, `${readFileSync(path, 'utf8')}// mine\n`)
    expect((await api(root, 'remove', 'field', 'posts', 'price')).code).toBe(0)
    expect(migrations(root)).toEqual([name])
    rmSync(path)
    await api(root, 'add', 'field', 'posts', 'size:int')
    await api(root, 'destroy', 'resource', 'posts')
    expect(readTree(root)).toEqual(readTree(await createProject()))
  })
})

describe('api remove field', () => {
  it('refuses what it does not know, and the last field', async () => {
    const root = await createProject(['posts title:string price:number'])
    const before = readTree(root)
    const unknown = await api(root, 'remove', 'field', 'posts', 'prise')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('error: posts has no field "prise"')
    expect(unknown.stderr).toContain('did you mean "price"? its fields are title, price')
    const last = await api(root, 'remove', 'field', 'posts', 'title', 'price')
    expect(last.code).toBe(2)
    expect(last.stderr).toContain('api destroy resource posts')
    expect(readTree(root)).toEqual(before)
  })

  it('says what the database keeps', async () => {
    const root = await createProject(['posts title:string slug:string:unique'])
    const { stderr } = await api(root, 'remove', 'field', 'posts', 'slug')
    expect(stderr).toContain('api migrate create remove-slug-from-posts')
    const without = await api(root, 'add', 'field', 'posts', 'code:string:unique', '--no-migration')
    expect(without.code).toBe(0)
    const removed = await api(root, 'remove', 'field', 'posts', 'code', '--no-migration')
    expect(removed.stderr).toContain('databases keep the unique index on code')
  })

  it('removes an object with all that is in it', async () => {
    const root = await createProject(['posts title:string'])
    const before = readTree(root)
    await api(root, 'add', 'field', 'posts', 'address.street:string', 'address.city:string')
    expect((await api(root, 'remove', 'field', 'posts', 'address')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
  })
})
