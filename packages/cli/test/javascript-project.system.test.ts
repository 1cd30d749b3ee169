import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { compile } from './compile-project.ts'
import { commitAll, initialise, write } from './earlier-projects/unpack.ts'
import { createJavaScriptProject, extensions, type PackageType } from './javascript-project.ts'
import { runGeneratedTests, sourceEnv } from './linked-project.ts'
import { readTree, type Result, runProgram } from './run-program.ts'

const templateOfService = fileURLToPath(
  new URL('../../../templates/resource/service.ts.hbs', import.meta.url),
)

const types: readonly PackageType[] = ['module', 'commonjs']

function api(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, command.split(' '), { cwd, env: sourceEnv })
}

async function generate(root: string, commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { code, stderr } = await api(root, `generate resource ${command}`)
    expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
  }
}

// Every type of field, and every option that changes the code.
const resources = [
  'categories name:string:unique',
  'posts title:string slug:string:unique status:enum:draft,live tags:array:string category:ref:Category ' +
    'publishedAt:date:optional eventOn:day:optional views:int:min=0:default=0 rating:number:optional ' +
    'price:decimal:optional contact:email:optional site:url:optional code:uuid:optional done:boolean:default=false ' +
    'place:object:optional place.city:string lines:array:object lines.sku:string meta:object:optional ' +
    'extra:any:optional --access owner --key slug --export --live --bulk --collation en',
  'comments body:text --under posts',
  'notes title code:string:optional:unique --tenant --soft-delete ' +
    '--access read=user,create=user,update=owner,replace=owner|role:admin,delete=role:admin',
  'remarks body:text --under notes --tenant',
  'logs line:text --actions list,create --access rule:editors --no-timestamps',
]

// A model that exists, as CommonJS in both kinds of projects.
const albums = `const { model, Schema } = require('mongoose')

const schema = new Schema({ title: { type: String, required: true }, secret: { type: String, select: false } })

module.exports = model('Album', schema)
`

// Uses what the comments of the generated code say.
const misuse = `import * as service from './resources/posts/posts.service.EXT'

/** @import { Post } from './resources/posts/posts.model.EXT' */

/** @type {Post['views']} */
export const views = 'many'
export const post = await service.get(1, {})
`

describe.each(types)('a project in JavaScript with the type %s', (type) => {
  const extension = extensions[type]

  it('has resources that pass checkJs and their tests', async () => {
    const root = createJavaScriptProject(type)
    await generate(root, resources)
    expect((await api(root, 'add field categories rank:int')).code).toBe(0)
    expect((await api(root, 'generate middleware audit-log')).code).toBe(0)
    expect((await api(root, 'client')).code).toBe(0)
    const written = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    const files = written.filter((path) => /\.\w+$/.test(path))
    expect(files.filter((path) => !path.endsWith(extension))).toEqual([])
    expect(compile(root)).toEqual([])
    write(root, `src/misuse${extension}`, misuse.replaceAll('.EXT', extension))
    expect(compile(root).map((line) => line.split(': ').at(-1))).toEqual([
      "Type 'string' is not assignable to type 'number'.",
      "Argument of type 'number' is not assignable to parameter of type 'string'.",
    ])
    rmSync(join(root, `src/misuse${extension}`))

    write(root, 'models/album.cjs', albums)
    await generate(root, ['albums --from-model models/album.cjs'])
    runGeneratedTests(root)
  })

  it('is changed, upgraded and emptied by the commands', async () => {
    const root = createJavaScriptProject(type)
    initialise(root)
    commitAll(root)
    const empty = readTree(root)
    await generate(root, ['posts title:string slug:string:unique'])
    const generated = readTree(root)
    expect((await api(root, 'generate resource posts')).stdout).toContain('Nothing to do.')

    // Fields and their migrations.
    const added = await api(root, 'add field posts views:int')
    expect(added.stdout).toMatch(
      new RegExp(`create +src/migrations/\\d{14}-add-views-to-posts${extension}\n`),
    )
    const plan = await api(root, 'migrate plan')
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('add-views-to-posts')])
    expect((await api(root, 'remove field posts views')).code).toBe(0)
    expect(readTree(root)).toEqual(generated)

    // What the application serves, and where it is written.
    const routes = await api(root, 'routes')
    expect(routes.stdout).toContain(`src/resources/posts/posts.routes${extension}:`)
    const doctor = await api(root, 'doctor')
    expect(doctor.stdout).toContain('1 mounted routers')
    expect(doctor.stdout).not.toMatch(/is missing|not mounted/)

    // An upgrade merges what the templates write now into what the project has.
    commitAll(root)
    const service = `src/resources/posts/posts.service${extension}`
    const written = readFileSync(join(root, service), 'utf8')
    write(root, service, `${written}\nexport const mine = 1\n`)
    const template = readFileSync(templateOfService, 'utf8')
    write(
      root,
      'templates/resource/service.ts.hbs',
      `export const newest: number = 2\n\n${template}`,
    )
    commitAll(root)
    const upgrade = await api(root, 'upgrade')
    expect(upgrade.stdout).toContain(`  merge      ${service}\n`)
    const merged = readFileSync(join(root, service), 'utf8')
    expect(merged).toContain('/** @type {number} */\nexport const newest = 2\n')
    expect(merged).toContain('\nexport const mine = 1\n')
    commitAll(root)
    expect((await api(root, 'upgrade')).stdout).toContain('Nothing to do.')

    expect((await api(root, 'destroy resource posts --force')).code).toBe(0)
    const left = readTree(root)
    for (const path of ['.api/manifest.json', 'templates/resource/service.ts.hbs'])
      left.delete(path)
    expect(left).toEqual(empty)
  })
})
