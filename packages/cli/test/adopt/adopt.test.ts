import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type LegacyHashes } from '@create-api/core/auth'
import { version } from '../../src/lib/package/own-package.ts'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { buildProgram } from '../built-modules.ts'
import { commitAll, initialise } from '../earlier-projects/unpack.ts'
import { createTemporaryFolder, readTree, type Result, runProgram } from '../run-program.ts'
import { adopt, copyApplication } from './applications.ts'

const program = buildProgram('index')

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

// Every file, and the one with secrets.
function readAll(root: string): ReadonlyMap<string, string> {
  return new Map([...readTree(root), ['.env', read(root, '.env')]])
}

/** An application with one file. */
function createApplication(
  text: string,
  { path = 'app.js', manifest = {} }: { path?: string; manifest?: object } = {},
): string {
  const root = createTemporaryFolder()
  write(root, path, text)
  const dependencies = { express: '^5.1.0', mongoose: '^9.1.0' }
  write(root, 'package.json', JSON.stringify({ name: 'app', dependencies, ...manifest }, null, 2))
  return root
}

function requireSuccess(result: Result): Result {
  expect(result).toMatchObject({ code: 0 })
  return result
}

function api(root: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd: root })
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the exports of the code, as its test knows them
async function load<Exports>(code: string): Promise<Exports> {
  return import(`data:text/javascript,${encodeURIComponent(code)}`)
}

async function adoptText(text: string, path = 'app.js'): Promise<string> {
  const root = createApplication(text, { path })
  requireSuccess(await adopt(root, '--yes'))
  return read(root, path)
}

describe('create-api adopt', () => {
  it('writes the API, and an import and a line into the file of the app', async () => {
    const root = copyApplication('joi-modules')
    const before = readAll(root)
    const { stdout } = requireSuccess(await adopt(root, '--yes'))
    expect(stdout).toContain('mount      src/app.js:12   app.use(mountApi)\n')
    const app = before.get('src/app.js') ?? ''
    expect(read(root, 'src/app.js')).toBe(
      app
        .replace("books.js'\n", "books.js'\nimport { mountApi } from './api/mount.js'\n")
        .replace('everything else\n', 'everything else\napp.use(mountApi)\n'),
    )
    const after = readAll(root)
    const changed = [...after].filter(
      ([path, text]) => before.get(path) !== text && !path.startsWith('vendor/'),
    )
    expect(changed.map(([path]) => path).toSorted()).toEqual([
      '.api/adoption.json',
      '.env',
      '.gitignore',
      'api.config.json',
      'package.json',
      'src/api/app.js',
      'src/api/mount.js',
      'src/api/routes.js',
      'src/api/users.js',
      'src/app.js',
    ])
    expect(read(root, '.gitignore')).toBe('node_modules\ncoverage\n.env\n')
    expect(read(root, '.env')).toMatch(
      /^PORT=4000\nJWT_SECRET=bookshelf\nAPI_JWT_SECRET=[\w-]{43}\n$/,
    )
    expect(read(root, '.api/adoption.json')).not.toContain('API_JWT_SECRET')
    const { dependencies, devDependencies } = JSON.parse(read(root, 'package.json'))
    expect(Object.keys(dependencies)).toContain('zod')
    expect(Object.keys(dependencies)).toEqual(Object.keys(dependencies).toSorted())
    expect(devDependencies.supertest).toBe('^7.1.0')
    expect(JSON.parse(read(root, 'api.config.json'))).toMatchObject({
      language: 'javascript',
      srcDir: 'src/api',
      registry: 'src/api/routes.js',
    })
  })

  it('has the packages of a clone as tarballs, also for pnpm, Yarn and Bun', async () => {
    const text = "import express from 'express'\nexport const app = express()\n"
    const adoptWith = async (manager: string): Promise<string> => {
      const root = createApplication(text, {
        manifest: { type: 'module', packageManager: manager },
      })
      requireSuccess(await adopt(root, '--yes'))
      return root
    }
    const [npm, pnpm, yarn, bun] = await Promise.all(['npm', 'pnpm', 'yarn', 'bun'].map(adoptWith))
    const readManifest = (root = '') => JSON.parse(read(root, 'package.json'))
    const core = `file:vendor/create-api-core-${version}.tgz`
    const overrides = {
      '@create-api/core': core,
      '@create-api/embedded-mongo': `file:vendor/create-api-embedded-mongo-${version}.tgz`,
      '@create-api/templates': `file:vendor/create-api-templates-${version}.tgz`,
      'create-api': `file:vendor/create-api-${version}.tgz`,
    }
    expect(readManifest(npm)).toMatchObject({
      dependencies: { '@create-api/core': core },
      devDependencies: { 'create-api': overrides['create-api'] },
    })
    expect(readManifest(npm)).not.toHaveProperty('overrides')
    expect(parse(read(pnpm ?? '', 'pnpm-workspace.yaml'))).toEqual({ overrides })
    expect(readManifest(yarn).resolutions).toEqual(overrides)
    expect(readManifest(bun).overrides).toEqual(overrides)
    const tarball = join(npm ?? '', core.replace('file:', ''))
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'])
    expect(JSON.parse(packed.toString())).toMatchObject({ name: '@create-api/core', version })
  })

  it('writes nothing for --dry-run, and needs --yes where it cannot ask', async () => {
    const root = copyApplication('joi-modules')
    const before = readAll(root)
    const { code, stdout } = await adopt(root, '--dry-run')
    expect([code, stdout.includes('Dry run: nothing was written.')]).toEqual([0, true])
    expect(await adopt(root)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(readAll(root)).toEqual(before)
  })

  it('writes all files or none', async () => {
    const root = copyApplication('joi-modules')
    mkdirSync(join(root, 'api.config.json'))
    const before = readAll(root)
    expect((await adopt(root, '--yes')).code).toBe(3)
    expect(readAll(root)).toEqual(before)
  })
})

describe('an application with older packages', () => {
  it('gets a package with its own, in CommonJS a mount that works there', async () => {
    const root = copyApplication('callbacks-commonjs')
    const { stdout, stderr } = requireSuccess(await adopt(root, '--yes'))
    expect(stderr).toContain('express ~4.21.0 (the API needs ^5) and mongoose ^8.9.0')
    expect(stderr).toContain('the API has its own connection, to the database of MONGO_URL')
    expect(stderr).toContain('production needs the variable JWT_SECRET')
    expect(stdout).toContain("const { mountApi } = require('./api/mount.cjs')")
    expect(JSON.parse(read(root, 'package.json')).workspaces).toEqual(['api'])
    expect(JSON.parse(read(root, 'api/package.json'))).toMatchObject({
      type: 'module',
      dependencies: {
        '@create-api/core': expect.stringMatching(/^file:\.\.\/vendor\/create-api-core-/),
        express: '^5.3.0',
        mongoose: expect.stringMatching(/^\^9/),
      },
    })
    expect(read(root, 'api/app.js')).toContain('await mongoose.connect(uri)')
  })

  it('shares those that both can use', async () => {
    const dependencies = { express: '^4.21.0', mongoose: '^9.1.0' }
    const text = "const express = require('express')\nconst app = express()\n"
    const root = createApplication(text, { manifest: { dependencies, workspaces: ['web'] } })
    requireSuccess(await adopt(root, '--yes'))
    expect(JSON.parse(read(root, 'api/package.json')).dependencies.mongoose).toBe('^9.1.0')
    expect(JSON.parse(read(root, 'package.json')).workspaces).toEqual(['web', 'api'])
    expect(read(root, 'api/app.js')).not.toContain('connect')
  })

  it('has the package as a member in the way of its package manager', async () => {
    const text = "const express = require('express')\nconst app = express()\n"
    const manifest = { dependencies: { express: '^4.21.0' } }
    const pnpm = createApplication(text, { manifest })
    write(pnpm, 'pnpm-workspace.yaml', '# members\npackages:\n  - web\n')
    requireSuccess(await adopt(pnpm, '--yes'))
    expect(read(pnpm, 'pnpm-workspace.yaml')).toContain(
      '# members\npackages:\n  - web\n  - api\noverrides:\n',
    )
    const yarn = createApplication(text, {
      manifest: { ...manifest, workspaces: { packages: [] } },
    })
    write(yarn, 'yarn.lock', '')
    requireSuccess(await adopt(yarn, '--yes'))
    expect(JSON.parse(read(yarn, 'package.json'))).toMatchObject({
      private: true,
      workspaces: { packages: ['api'] },
    })
  })

  it('is refused as a member of a workspace', async () => {
    const workspace = createTemporaryFolder()
    write(workspace, 'package.json', '{"workspaces":["apps/*"]}')
    const root = join(workspace, 'apps/old')
    cpSync(copyApplication('callbacks-commonjs'), root, { recursive: true })
    const { code, stderr } = await adopt(root, '--yes')
    expect(code).toBe(5)
    expect(stderr).toContain('the application is a member of the workspace')
    expect(stderr).toContain('express ~4.21.0, and the API needs ^5')
  })

  it('runs its tests without those of the API', async () => {
    const root = copyApplication('layered-typescript')
    const { stdout } = requireSuccess(await adopt(root, '--yes'))
    expect(stdout).toContain("import { mountApi } from '../../api/mount.cjs'")
    const { testPathIgnorePatterns } = JSON.parse(read(root, 'package.json')).jest
    expect(testPathIgnorePatterns).toEqual(['/node_modules/', '<rootDir>/api/'])
    const other = copyApplication('layered-typescript')
    write(other, 'jest.config.js', 'module.exports = {}')
    expect((await adopt(other, '--dry-run')).stderr).toContain("add '<rootDir>/api/'")
  })
})

describe('the users of an application', () => {
  const app = "import express from 'express'\nexport const app = express()\n"

  async function adoptUsers(
    schema: string,
    dependencies: object = {},
    args: string[] = [],
    code?: string,
  ) {
    const manifest = {
      type: 'module',
      dependencies: { express: '^5.1.0', mongoose: '^9.1.0', ...dependencies },
    }
    const root = createApplication(app, { manifest })
    const text = `import { model, Schema } from 'mongoose'\nconst schema = new Schema(${schema})\nexport const Person = model('Person', schema)\n`
    write(root, 'models/person.js', text)
    if (code !== undefined) write(root, 'hash.js', code)
    const { stdout, stderr } = requireSuccess(await adopt(root, '--yes', ...args))
    const isUsed = /^ +users /m.test(stdout)
    return { root, stderr, stdout, users: isUsed ? read(root, 'api/users.js') : undefined }
  }

  it('are used with their fields, roles, hashes and tokens', async () => {
    const root = copyApplication('joi-modules')
    const { stdout } = requireSuccess(await adopt(root, '--yes'))
    expect(stdout).toContain(
      'users      src/models/user.js:4   User in users, hashes of bcrypt, and tokens with the claim id',
    )
    const users = read(root, 'src/api/users.js')
    expect(users).toContain(
      "roles: [document.role].filter((role) => role !== undefined && role !== 'user')",
    )
    expect(users).toContain('hash: (password) => bcrypt.hash(password, 10)')
    expect(users).toContain('const secret = process.env.JWT_SECRET')
    expect(users).toContain('input: { name: z.string().min(1).max(200) }')
  })

  it('have the options of passport-local-mongoose', async () => {
    const root = copyApplication('callbacks-commonjs')
    const file = read(root, 'models/account.js')
    const options = "usernameField: 'email', iterations: 1000, digestAlgorithm: 'sha512'"
    write(root, 'models/account.js', file.replace("usernameField: 'email'", options))
    const { stderr } = requireSuccess(await adopt(root, '--yes'))
    expect(stderr).toContain('models/account.js has no unique index of email')
    expect(read(root, 'api/users.js')).toContain("derive(password, salt, 1000, 512, 'sha512')")
  })

  it.each([
    [
      '{ mail: { type: String, unique: true }, passwordHash: String, roles: [String], blocked: Boolean }',
      [
        'document.mail',
        'readHash({ passwordHash: hash })',
        'document.roles ?? []',
        'document.blocked === true',
      ],
    ],
    [
      '{ email: { type: String, unique: true, lowercase: true }, password: String, isAdmin: Boolean, active: Boolean }',
      [
        "document.isAdmin === true ? ['admin'] : []",
        'document.active === false',
        'active: disabled === undefined ? undefined : !disabled',
      ],
    ],
    [
      "{ email: { type: String, unique: true }, password: String }, { collection: 'members' }",
      ["collection('members')", 'ignoreCase'],
    ],
  ])('are read from %s', async (schema, expected) => {
    const { users } = await adoptUsers(schema, { bcryptjs: '^3.0.0' })
    for (const text of expected) expect(users).toContain(text)
  })

  it('have the address that passport-local-mongoose adds', async () => {
    const root = copyApplication('callbacks-commonjs')
    const file = read(root, 'models/account.js')
    write(root, 'models/account.js', file.replace('email: { type: String, required: true },', ''))
    const { stderr } = requireSuccess(await adopt(root, '--yes'))
    expect(stderr).not.toContain('no unique index')
    expect(read(root, 'api/users.js')).toContain('findOne({ email: email })')
  })

  it('are left open where the source does not show everything', async () => {
    const schema =
      '{ email: { type: String }, password: String, team: { type: Object, required: true } }'
    const { root, stderr, users } = await adoptUsers(schema)
    expect(stderr).toContain('complete "hashes" in api/users.js')
    expect(stderr).toContain('has no unique index of email')
    expect(stderr).toContain('a user needs team, so the API has no route that registers users')
    expect(users).toContain('To do: the command could not tell how it creates them.')
    expect(read(root, 'api/app.js')).toContain("routes: { except: ['register'] }")
  })

  it.each([
    [
      'salt, then key',
      "const salt = randomBytes(16).toString('hex')\nreturn `${salt}:${scryptSync(password, salt, 64).toString('hex')}`",
    ],
    [
      'key, then salt',
      "const salt = randomBytes(8).toString('hex')\nconst key = await scryptAsync(password, salt, 32)\nreturn `${key.toString('hex')}.${salt}`",
    ],
    [
      'the bytes of the salt, with options',
      "const salt = randomBytes(16)\nconst key = scryptSync(password, salt, 64, { N: 1024 })\nreturn salt.toString('base64') + '$' + key.toString('base64')",
    ],
  ])('have the hashes of scrypt: %s', async (_name, body) => {
    const code = `import { randomBytes, scrypt, scryptSync } from 'node:crypto'
import { promisify } from 'node:util'
const scryptAsync = promisify(scrypt)
export async function hash(password) {
${body}
}
`
    const schema = '{ email: { type: String, unique: true }, password: String }'
    const { stdout, users = '' } = await adoptUsers(schema, {}, [], code)
    expect(stdout).toContain('hashes of scrypt')
    const own = await load<{ hash: (password: string) => Promise<string> }>(code)
    const { hashes } = await load<{ hashes: Required<LegacyHashes> }>(
      users.replaceAll(/^import .* from '(?!node:).*\n/gm, ''),
    )
    const password = 'pässword 1'
    const stored = await own.hash(password)
    const created = await hashes.hash(password)
    expect(created).toHaveLength(stored.length)
    for (const text of [stored, created]) {
      expect(hashes.matches(text)).toBe(true)
      expect(await hashes.verify(text, password)).toBe(true)
      expect(await hashes.verify(text, 'password 2')).toBe(false)
    }
    expect(hashes.matches('$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$a2V5a2V5')).toBe(false)
  })

  it.each([
    "return scryptSync(password, 'salt', 64).toString('hex')",
    'return `${salt}:${scryptSync(password, salt, length).toString("hex")}`',
    'return `${one}:${scryptSync(password, one, 64).toString("hex")}`',
    'return `${salt}:${scryptSync(password, salt, 64).toString("latin1")}`',
  ])('are left open with scrypt in another form: %s', async (body) => {
    const schema = '{ email: { type: String, unique: true }, password: String }'
    const { stdout } = await adoptUsers(schema, {}, [], `export const hash = () => { ${body} }`)
    expect(stdout).toContain('hashes of an unknown kind')
  })

  it('have tokens with a secret of the API, and none in production is an error', async () => {
    const tokens =
      "import jwt from 'jsonwebtoken'\nexport const toToken = (id) => jwt.sign({ id }, process.env.JWT_SECRET)\n"
    const dependencies = { jsonwebtoken: '^9.0.0' }
    const schema = '{ email: String, password: String }'
    const { root } = await adoptUsers(schema, dependencies, [], tokens)
    const code = read(root, 'api/app.js').replaceAll(/^import .* from '(?!node:).*\n/gm, '')
    const stubs =
      'const [routes, users, hashes, findByToken] = [{}, {}, {}, {}]\nconst defineAuthenticator = () => {}\n'
    const record =
      'export let given\nconst createAuth = (options) => (given = options)\nconst createApi = createAuth\n'
    const run = (text: string): Promise<{ given: unknown }> => load(record + stubs + text)
    const noted = code.replace('export const api = createApi(', 'void (')
    expect(await run(noted)).toMatchObject({
      given: { secrets: [expect.stringMatching(/^[\w+/]{43}=$/)] },
    })
    const production = noted.replace('process.env.NODE_ENV', "'production'")
    await expect(run(production)).rejects.toThrow('API_JWT_SECRET is not set: openssl rand')
    const set = noted.replace('process.env.API_JWT_SECRET', "'own'")
    expect(await run(set)).toMatchObject({ given: { secrets: ['own'] } })
  })

  it('are not used without an address, and with --no-users', async () => {
    const named = await adoptUsers('{ login: String, password: String }')
    expect(named.users).toBeUndefined()
    expect(named.stderr).toContain('Person in models/person.js:2 has no e-mail address')
    const schema = '{ email: String, password: String }'
    expect((await adoptUsers(schema, {}, ['--no-users'])).users).toBeUndefined()
    expect((await adoptUsers(schema, { argon2: '^0.41.0' })).users).not.toContain('hashes')
  })
})

describe('the line that mounts', () => {
  it.each([
    [
      'without semicolons, before a statement that begins with one',
      "import express from 'express'\nconst app = express()\n;[1].forEach(() => {})\n",
      'const app = express()\napp.use(mountApi)\n;[1]',
    ],
    [
      'without semicolons',
      "import express from 'express'\nconst app = express()\n\nfunction serve() {\n  app.disable('etag')\n}\nserve()",
      'const app = express()\napp.use(mountApi)\n\nfunction',
    ],
    [
      'in CommonJS, with its quotes and semicolons',
      '"use strict";\nconst express = require("express");\nvar app = module.exports = express();\napp.use(express.json());\n',
      'const { mountApi } = require("./api/mount.cjs");\nvar app = module.exports = express();\napp.use(mountApi);\napp.use(express.json());\n',
    ],
    [
      'in a function that creates the app',
      "const express = require('express')\nmodule.exports = function create() {\n  const app = express()\n  app.use(express.json())\n  return app\n}\n",
      '  const app = express()\n  app.use(mountApi)\n  app.use(express.json())\n',
    ],
    [
      'in a class',
      "const express = require('express');\nclass Server {\n  constructor() {\n    this.app = express(); // the app\n    this.routes();\n  }\n}\n",
      '    this.app = express(); // the app\n    this.app.use(mountApi);\n    this.routes();\n',
    ],
    [
      'where lines end as on Windows',
      "const express = require('express')\r\nconst app = express()\r\napp.listen(1)\r\n",
      "require('express')\r\nconst { mountApi } = require('./api/mount.cjs')\r\nconst app = express()\r\napp.use(mountApi)\r\n",
    ],
    [
      'where the package is required in place',
      "const app = require('express')()\napp.listen(1)\n",
      "const { mountApi } = require('./api/mount.cjs')\nconst app = require('express')()\napp.use(mountApi)\n",
    ],
  ])('is written %s', async (_name, text, expected) => {
    expect(await adoptText(text)).toContain(expected)
  })
})

describe('an application in other dialects', () => {
  const app = "import express from 'express'\nexport const app = express()\n"

  it.each([
    ['decorators of parameters', 'app.ts', `${app}class A { constructor(@inject a: string) {} }\n`],
    ['JSX', 'app.js', `${app}app.get('/', (_req, res) => res.send(render(<p>express</p>)))\n`],
    [
      'a byte order mark in the line of the app',
      'app.js',
      "\uFEFFconst app = require('express')()\n",
    ],
  ])('may have %s', async (_name, path, text) => {
    expect(await adoptText(text, path)).toMatch(/\napp\.use\(mountApi\)\n/)
  })

  it('may have files that do not parse, if --app names another', async () => {
    const root = createApplication(app, { manifest: { type: 'module' } })
    write(root, 'other.js', 'express is not (')
    expect((await adopt(root, '--yes')).stderr).toContain('other.js:1 does not parse')
    requireSuccess(await adopt(root, '--yes', '--app', 'app.js'))
  })
})

describe('what adopt refuses', () => {
  const app = "import express from 'express'\nexport const app = express()\n"

  it.each([
    [
      'an app of no framework',
      "import http from 'node:http'\n",
      [],
      'no file calls express()',
      'create-api my-service',
    ],
    [
      'two apps',
      `${app}const admin = express()\n`,
      [],
      'express() is called in 2 places',
      '--app app.js:2',
    ],
    [
      'an app that no variable has',
      "import express from 'express'\nexport const create = () => express()\n",
      [],
      'app.js:2 does not assign the app to a variable',
      'const app = express()',
    ],
    [
      'a path that the application serves',
      `${app}app.use('/api/users', users)\n`,
      [],
      'the application already serves /api/users',
      '--prefix /v2',
    ],
    [
      'a prefix that the application serves',
      `${app}app.use('/v2/api', users)\n`,
      ['--prefix', '/v2'],
      'the application already serves /v2',
      '--prefix /v3',
    ],
    ['a prefix that is not a path', app, ['--prefix', 'v2'], '--prefix v2 is not a path', ''],
    ['a file without an app', app, ['--app', 'main.js'], '--app main.js creates no', 'app.js:2'],
    ['source that does not parse', `${app}const = 1\n`, [], 'app.js:3 does not parse', '--app'],
    [
      'a prefix that clients resolve',
      app,
      ['--prefix', '/a/../b'],
      '--prefix /a/../b is not a path',
      '',
    ],
    [
      'a name that the file has',
      `${app}const mountApi = 1\n`,
      [],
      'app.js:3 has the name mountApi already',
      'rename it',
    ],
    ['a hidden folder', app, ['--dir', '.git/api'], '--dir .git/api is not a folder', 'src/api'],
    [
      'a folder of packages',
      app,
      ['--dir', 'node_modules/api'],
      '--dir node_modules/api is not a folder',
      '',
    ],
    ['a folder outside', app, ['--dir', '../api'], '--dir ../api is not a folder', ''],
  ])('is %s', async (_name, text, args, message, hint) => {
    const root = createApplication(text, { manifest: { type: 'module' } })
    const before = readTree(root)
    const { code, stderr } = await adopt(root, '--yes', ...args)
    expect(code).toBeGreaterThan(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(readTree(root)).toEqual(before)
  })

  it.each([
    ['name', 5],
    ['dependencies', []],
    ['dependencies', { express: 5 }],
    ['scripts', 'test'],
    ['jest', 'jest-preset'],
  ])('is a package.json with %s %j', async (key, value) => {
    const root = createApplication(app, { manifest: { type: 'module', [key]: value } })
    const before = readTree(root)
    const { code, stderr } = await adopt(root, '--yes')
    expect([code, stderr]).toEqual([5, expect.stringMatching(`"${key}.*" of package.json has a`)])
    expect(readTree(root)).toEqual(before)
  })

  it.each(['packages: [', '- packages'])('is a damaged pnpm-workspace.yaml: %s', async (text) => {
    const root = createApplication(app, { manifest: { type: 'module' } })
    write(root, 'pnpm-workspace.yaml', text)
    const { code, stderr } = await adopt(root, '--yes')
    expect(code).toBe(5)
    expect(stderr).toContain('pnpm-workspace.yaml is not a valid file with settings of pnpm')
  })

  it('is a second adoption, another project, and a folder without a package', async () => {
    const root = copyApplication('joi-modules')
    expect((await adopt(root, '--yes')).code).toBe(0)
    expect((await adopt(root, '--yes')).stderr).toContain('has been adopted already')
    rmSync(join(root, '.api'), { recursive: true })
    expect((await adopt(root, '--yes')).stderr).toContain('this is a project of create-api')
    const empty = createTemporaryFolder()
    expect((await adopt(empty, '--yes')).stderr).toContain('there is no package.json')
    write(empty, 'package.json', '{')
    expect((await adopt(empty, '--yes')).stderr).toContain('package.json is not valid JSON')
  })

  it('is a folder that exists', async () => {
    const root = createApplication(app, { manifest: { type: 'module' } })
    for (const name of ['api', 'create-api', 'new-api']) write(root, `${name}/a.js`, '')
    expect((await adopt(root, '--yes')).stderr).toContain(
      'the folders api, create-api, new-api exist',
    )
    expect((await adopt(root, '--yes', '--dir', 'api')).stderr).toContain('the folder api exists')
    expect((await adopt(root, '--yes', '--dir', 'lib/rest')).code).toBe(0)
    expect(read(root, 'app.js')).toContain("import { mountApi } from './lib/rest/mount.js'")
  })
})

describe('create-api adopt --undo', () => {
  it('leaves every byte as it was', async () => {
    const root = copyApplication('joi-modules')
    const before = readAll(root)
    await adopt(root, '--yes')
    requireSuccess(await adopt(root, '--undo', '--yes'))
    expect(readAll(root)).toEqual(before)
    expect((await adopt(root, '--undo', '--yes')).stderr).toContain('nothing was adopted here')
  })

  it('keeps and names what was changed since', async () => {
    const root = copyApplication('joi-modules')
    const before = readAll(root)
    await adopt(root, '--yes')
    write(root, 'src/app.js', `${read(root, 'src/app.js')}// mine\n`)
    write(root, 'src/api/app.js', `${read(root, 'src/api/app.js')}// mine\n`)
    const manifest = JSON.parse(read(root, 'package.json'))
    manifest.dependencies.helmet = '^8.0.0'
    write(root, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`)
    write(root, '.env', `${read(root, '.env')}MINE=1\n`)
    const { stdout } = await adopt(root, '--undo', '--yes')
    expect(stdout).toContain('keep       src/api/app.js   changed since')
    expect(read(root, 'src/app.js')).toBe(`${before.get('src/app.js')}// mine\n`)
    const { dependencies } = JSON.parse(before.get('package.json') ?? '')
    expect(JSON.parse(read(root, 'package.json')).dependencies).toEqual({
      ...dependencies,
      helmet: '^8.0.0',
    })
    expect(read(root, '.env')).toBe(`${before.get('.env')}\nMINE=1\n`)
  })

  it('names a file whose lines both have changed', async () => {
    const root = copyApplication('joi-modules')
    await adopt(root, '--yes')
    const edited = read(root, 'src/app.js').replace('use(mountApi)', "use('/next', mountApi)")
    write(root, 'src/app.js', edited)
    const { stdout } = await adopt(root, '--undo', '--yes')
    expect(stdout).toContain('keep       src/app.js   changed since')
    expect(read(root, 'src/app.js')).toBe(edited)
  })

  it.each([2, 5, 12])('takes back a run that was killed at file %i', async (at) => {
    const root = copyApplication('joi-modules')
    const before = readAll(root)
    const script = fileURLToPath(new URL('../killed-run.js', import.meta.url))
    const args = [script, String(at), program, root, 'adopt', '--yes']
    const { signal } = spawnSync(process.execPath, args)
    expect(signal).toBe('SIGKILL')
    expect((await adopt(root, '--yes')).stderr).toContain('npx create-api adopt --undo')
    requireSuccess(await adopt(root, '--undo', '--yes'))
    expect(readAll(root)).toEqual(before)
  })

  it('names a damaged record', async () => {
    const root = createTemporaryFolder()
    cpSync(copyApplication('joi-modules'), root, { recursive: true })
    write(root, '.api/adoption.json', '{}')
    expect((await adopt(root, '--undo', '--yes')).stderr).toContain('.api/adoption.json is damaged')
  })
})

describe('api upgrade in an adopted application', () => {
  it.each(['src/app.ts', 'app.js'])('leaves everything except resources: %s', async (path) => {
    const root = createApplication(
      "import express from 'express'\nexport const app = express()\n",
      {
        path,
        manifest: { type: 'module', devDependencies: { typescript: '^7.0.0' } },
      },
    )
    requireSuccess(await adopt(root, '--yes'))
    requireSuccess(await api(root, 'generate', 'resource', 'posts'))
    initialise(root)
    commitAll(root, 'adopt')
    const before = readTree(root)
    requireSuccess(await api(root, 'upgrade'))
    expect([...readTree(root).keys()]).toEqual([...before.keys()])
    expect(read(root, 'package.json')).toBe(before.get('package.json'))
    expect(read(root, 'api.config.json')).toBe(before.get('api.config.json'))
  })
})
