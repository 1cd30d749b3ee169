import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder, readTree, type Result } from '../run-program.ts'
import { adopt, copyApplication } from './applications.ts'

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
    const changed = [...after].filter(([path, text]) => before.get(path) !== text)
    expect(changed.map(([path]) => path).toSorted()).toEqual([
      '.api/adoption.json',
      '.env',
      '.gitignore',
      'api.config.json',
      'package.json',
      'src/api/app.js',
      'src/api/mount.js',
      'src/api/routes.js',
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

  it('names a damaged record', async () => {
    const root = createTemporaryFolder()
    cpSync(copyApplication('joi-modules'), root, { recursive: true })
    write(root, '.api/adoption.json', '{}')
    expect((await adopt(root, '--undo', '--yes')).stderr).toContain('.api/adoption.json is damaged')
  })
})
