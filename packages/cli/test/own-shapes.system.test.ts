import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { tsc } from './compile-project.ts'
import { addOption, createLinkedProject, runGeneratedTests, sourceEnv } from './linked-project.ts'
import { runProgram } from './run-program.ts'

// Each of these replaces something that a new project has.
const options = [
  "errors: { format: ({ status }) => ({ body: { errors: { status } }, contentType: 'application/json' }) }",
  'auth: false',
  'openapi: false',
  "auth: { routes: { path: '/id' } }",
  'auth: { routes: false }',
  'health: false',
  'auth: false, database: false',
]

it.each(options)('the generated test passes with %s', async (option) => {
  const root = await createLinkedProject()
  addOption(root, option)
  runGeneratedTests(root)
  expect.hasAssertions()
})

const ownAuth = `import { createRouter, get, getAuth, post, success } from '@create-api/core'
import { z } from 'zod'

const account = z.object({ mail: z.string() })

export const auth = createRouter(
  [
    post(
      '/me',
      {
        access: 'public',
        body: z.strictObject({ mail: z.string(), secret: z.string() }),
        response: account,
        errors: ['invalid_credentials'],
      },
      async (req, res) => {
        const { mail, secret } = req.valid.body
        const { user } = await getAuth(req).login({ email: mail, password: secret }, req)
        success(res, { mail: user.email })
      },
    ),
    get('/me', { access: 'user', response: account }, (req, res) => {
      success(res, { mail: req.user.email })
    }),
  ],
  { tag: 'auth' },
)
`

function replaceAuth(root: string): void {
  writeFileSync(join(root, 'src/own-auth.ts'), ownAuth)
  const file = join(root, 'src/routes.ts')
  const text = readFileSync(file, 'utf8')
    .replace('// </api:imports>', "// </api:imports>\nimport { auth } from './own-auth.js'")
    .replace('// </api:mounts>', "// </api:mounts>\nroutes.use('/api/v1/auth', auth)")
  writeFileSync(file, text)
  addOption(root, `auth: { routes: false }, ${options[0]}`)
}

function changeAuth(root: string): void {
  const file = join(root, 'src/app.ts')
  writeFileSync(file, `import { z } from 'zod'\n${readFileSync(file, 'utf8')}`)
  addOption(
    root,
    `auth: {
      routes: { path: '/id' },
      schemes: ['Token'],
      userFields: {
        model: { name: { type: String, required: true } },
        input: { name: z.string().min(1) },
      },
    }`,
  )
}

const changes: readonly [string, (root: string) => void][] = [
  ['nothing', () => {}],
  ['the routes of authentication', replaceAuth],
  ['path, scheme and fields of authentication', changeAuth],
  ['authentication, which is disabled', (root) => addOption(root, 'auth: false')],
]

describe('the generated test of the client', () => {
  it.each(changes)('passes after a change of %s', async (_name, change) => {
    const root = await createLinkedProject([], true)
    change(root)
    const { code, stderr } = await runProgram(createApiProgram, ['client'], {
      cwd: root,
      env: sourceEnv,
    })
    expect([code, stderr]).toEqual([0, ''])
    const args = [tsc, '--noEmit', '--allowImportingTsExtensions']
    const compiled = spawnSync(process.execPath, args, { cwd: root })
    expect(compiled.stdout.toString()).toBe('')
    runGeneratedTests(root)
  })
})
