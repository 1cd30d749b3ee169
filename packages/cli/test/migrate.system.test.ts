import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join, parse } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

const program = buildProgram()

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

function listMigrations(root: string): readonly string[] {
  const folder = join(root, 'src/migrations')
  return existsSync(folder) ? readdirSync(folder).map((file) => parse(file).name) : []
}

// Runs a function of the driver's database in the database of the project.
async function inDatabase(root: string, work: string): Promise<string> {
  const script = `
    import { withDatabase } from '@create-api/core'
    import { api } from './src/app.js'
    const result = await withDatabase(api, async ({ db }) => (${work})(db))
    console.log(JSON.stringify(result ?? null))
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', ...sourceEnv },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  return text.trim()
}

describe('api migrate create', () => {
  it('writes a file that is named by time, later than all others', async () => {
    const root = await createProject()
    const { code, stderr, stdout } = await api(root, 'migrate', 'create', 'splitNames')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/^ {2}create {5}src\/migrations\/\d{14}-split-names\.ts$/m)
    expect(stderr).toContain('api migrate plan')
    await api(root, 'migrate', 'create', 'second')
    writeFileSync(join(root, 'src/migrations/29990101000000-later.ts'), '')
    await api(root, 'migrate', 'create', 'third')
    const [first = '', second = '', later, third] = listMigrations(root)
    expect(first < second && first.slice(0, 14) !== second.slice(0, 14)).toBe(true)
    expect([later, third]).toEqual(['29990101000000-later', '29990101000001-third'])
    expect(readFileSync(join(root, `src/migrations/${first}.ts`), 'utf8')).toContain(
      'export default defineMigration({',
    )
  })

  it('explains what an older project lacks', async () => {
    const root = await createProject()
    writeFileSync(join(root, 'src/app.ts'), 'export const api = createApi({ routes })\n')
    const { stderr } = await api(root, 'migrate', 'create', 'first')
    expect(stderr).toContain(
      "migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }),",
    )
  })

  it('refuses a name with a path', async () => {
    const root = await createProject()
    expect(await api(root, 'migrate', 'create', '../x')).toMatchObject({ code: 2 })
    expect(existsSync(join(root, 'src/migrations'))).toBe(false)
  })
})

describe('api migrate', () => {
  it('plans, applies, lists, reverts and repeats the migrations of fields', async () => {
    const root = await createLinkedJavaScript('posts title:string')
    const fields = ['price:number:min=1', 'slug:string:unique', 'day:date:default=2026-01-31']
    await api(root, 'add', 'field', 'posts', ...fields, 'born:date:unique', 'cost:decimal:unique')
    await inDatabase(
      root,
      `(db) => db.collection('posts').insertMany([{ title: 'a' }, { title: 'b' }])`,
    )
    const names = listMigrations(root)
    expect(names).toHaveLength(5)
    expect(new Set(names.map((name) => name.slice(0, 14))).size).toBe(5)

    const plan = await api(root, 'migrate', 'plan')
    expect(plan.stderr).toContain(
      'nothing was changed; to apply this plan: npx --no-install api migrate up',
    )
    expect(plan.stdout).toContain(`  ${names[0]}\n    update posts in batches: 2 documents\n`)
    const fresh = await api(root, 'migrate', 'status', '--json')
    expect(JSON.parse(fresh.stdout).migrations).toMatchObject(
      names.map((name) => ({ name, state: 'pending' })),
    )

    const up = await api(root, 'migrate', 'up')
    expect({ code: up.code, stderr: up.code === 0 ? '' : up.stderr }).toEqual({
      code: 0,
      stderr: '',
    })
    expect(up.stdout).toMatch(
      new RegExp(`^ {2}applied {3}${names[0]} {2}\\d+ ms, 2 documents$`, 'm'),
    )
    expect(up.stderr).toContain(`  apply      ${names[0]}`)
    expect(up.stderr).toContain('update posts in batches: 2 of 2')
    const stored = await inDatabase(
      root,
      `(db) => db.collection('posts').aggregate([{ $project: { _id: 0, price: 1, slug: 1,
        types: [{ $type: '$day' }, { $type: '$born' }, { $type: '$cost' }] } }]).toArray()`,
    )
    expect(JSON.parse(stored)).toEqual([
      { price: 1, slug: 'slug 1', types: ['date', 'date', 'decimal'] },
      { price: 1, slug: 'slug 2', types: ['date', 'date', 'decimal'] },
    ])
    expect((await api(root, 'migrate', 'up')).stdout).toContain('Nothing to do.')

    const status = await api(root, 'migrate', 'status')
    expect(status.stdout).toMatch(
      /^migration {2,}state {2,}applied \(UTC\) {2,}time {2,}documents {2}version$/m,
    )
    expect(status.stdout).toMatch(
      new RegExp(`^${names[0]} .*applied {2,}\\d{4}-.* 2 +0\\.1\\.0$`, 'm'),
    )

    const dry = await api(root, 'migrate', 'down', '--count', '2', '--dry-run')
    expect(dry.stdout).toMatch(/cost-to-posts\n[^]*born-to-posts\n/)
    expect((await api(root, 'migrate', 'down')).stdout).toContain(`  reverted  ${names[4]}`)
    await api(root, 'migrate', 'up')
    const redo = await api(root, 'migrate', 'redo', '--json')
    expect(JSON.parse(redo.stdout)).toMatchObject({
      ok: true,
      command: 'migrate redo',
      migrations: [{ direction: 'down' }, { direction: 'up' }],
    })
  })

  it('refuses a history that does not agree, with the fix, and accepts it by name', async () => {
    const root = await createLinkedJavaScript('posts title:string')
    await api(root, 'add', 'field', 'posts', 'price:number')
    await api(root, 'migrate', 'up')
    const [name = ''] = listMigrations(root)
    const file = join(root, `src/migrations/${name}.js`)
    writeFileSync(file, `${readFileSync(file, 'utf8')}// edited\n`)
    const edited = await api(root, 'migrate', 'up')
    expect(edited).toMatchObject({ code: 3, stdout: '' })
    expect(edited.stderr).toContain(
      'error: The files and the database do not agree; nothing was changed:',
    )
    expect(edited.stderr).toContain(`npx api migrate up --accept ${name}`)
    expect(await api(root, 'migrate', 'up', '--accept', name)).toMatchObject({ code: 0 })
    renameSync(file, `${file}.away`)
    const missing = await api(root, 'migrate', 'plan', '--json')
    expect(JSON.parse(missing.stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'CONFLICT',
        exit: 3,
        details: [expect.stringContaining('its file is missing')],
      },
    })
    const unknown = await api(root, 'migrate', 'up', '--to', 'nothing')
    expect(unknown.code).toBe(3)
  })

  it('reports a migration that fails, and what an application rejects', async () => {
    const root = await createLinkedJavaScript()
    await api(root, 'migrate', 'create', 'empty')
    const [name = ''] = listMigrations(root)
    const failed = await api(root, 'migrate', 'up')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain(
      `error: ${name} failed (up): This migration has no steps yet. Correct the cause and run it again`,
    )
    const asJson = await api(root, 'migrate', 'up', '--json')
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      error: { code: 'MIGRATION_FAILED', exit: 1 },
    })
    rmSync(join(root, 'src/app.js'))
    expect((await api(root, 'migrate', 'status')).stderr).toContain('src/app.js is missing')
  })

  it('stops at an interrupt between two batches, and continues later', async () => {
    const root = await createLinkedJavaScript()
    await api(root, 'migrate', 'create', 'slow')
    const [name = ''] = listMigrations(root)
    writeFileSync(
      join(root, `src/migrations/${name}.js`),
      `import { defineMigration, updateInBatches } from '@create-api/core/migrations'
export default defineMigration({
  up: updateInBatches({
    collection: 'posts',
    size: 1,
    change(document) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      return { $inc: { changes: 1 } }
    },
  }),
})
`,
    )
    await inDatabase(
      root,
      `(db) => db.collection('posts').insertMany(Array.from({ length: 60 }, () => ({})))`,
    )
    const child = spawn(process.execPath, [program, 'migrate', 'up'], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'development', ...sourceEnv },
      // As in a terminal, whose interrupt reaches all processes of the group.
      detached: true,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    }
    while (!printed.includes('update posts in batches')) await once(child.stderr, 'data')
    process.kill(-(child.pid ?? 0), 'SIGINT')
    const [code] = await once(child, 'close')
    expect(printed).toContain(
      'error: Stopped. What was done is stored; the next run continues there.',
    )
    expect(code).toBe(1)
    expect((await api(root, 'migrate', 'status')).stdout).toContain('unfinished')
    expect(await api(root, 'migrate', 'up')).toMatchObject({ code: 0 })
    const counts = await inDatabase(root, `(db) => db.collection('posts').distinct('changes')`)
    expect(JSON.parse(counts)).toEqual([1])
  })
})

describe('api remove field', () => {
  it('keeps the migration of a field once it is committed, and drops the index in a new one', async () => {
    const root = await createProject(['posts title:string'])
    const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd: root })
    git('init', '--quiet')
    await api(root, 'add', 'field', 'posts', 'slug:string:unique')
    const [added = ''] = listMigrations(root)
    git('add', '--all')
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    git(...identity, 'commit', '--quiet', '--message', 'Add slugs')
    const { code, stderr } = await api(root, 'remove', 'field', 'posts', 'slug')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).not.toContain('databases keep the unique index')
    expect(listMigrations(root)).toEqual([
      added,
      expect.stringMatching(/^\d{14}-drop-index-slug-of-posts$/),
    ])
  })

  it('writes a migration that drops a unique index, unless the field was never deployed', async () => {
    const root = await createLinkedJavaScript('posts title:string code:string:unique')
    await api(root, 'add', 'field', 'posts', 'slug:string:unique')
    const { stderr } = await api(root, 'remove', 'field', 'posts', 'slug')
    expect(listMigrations(root)).toEqual([])
    expect(stderr).toContain('databases keep the unique index on slug')
    const removed = await api(root, 'remove', 'field', 'posts', 'code')
    const [name = ''] = listMigrations(root)
    expect(name).toMatch(/^\d{14}-drop-index-code-of-posts$/)
    expect(removed.stderr).toContain('api migrate up')
    await inDatabase(
      root,
      `(db) => db.collection('posts').createIndex({ code: 1 }, { unique: true })`,
    )
    expect(await api(root, 'migrate', 'up')).toMatchObject({ code: 0 })
    const indexes = `(db) => db.collection('posts').indexes().then((all) => all.map(({ name }) => name))`
    expect(JSON.parse(await inDatabase(root, indexes))).toEqual(['_id_'])
    await api(root, 'migrate', 'down')
    expect(JSON.parse(await inDatabase(root, indexes))).toEqual(['_id_', 'code_1'])
  })
})
