import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readVariable, setVariable } from '../src/lib/accounts/env-file.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { hasTerminal, keys, openTerminal } from './e2e/pseudo-terminal.ts'
import { addOption, createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

const program = buildProgram()
const password = 'TestRiver42!'

function api(cwd: string, args: readonly string[], input?: string): Promise<Result> {
  return runProgram(createApiProgram, args, {
    cwd,
    env: sourceEnv,
    ...(input !== undefined && { input }),
  })
}

function readEnv(root: string): string {
  return readFileSync(join(root, '.env'), 'utf8')
}

function keysOf(root: string, variable = 'JWT_SECRET'): string[] {
  return readVariable(readEnv(root), variable).split(',')
}

function keyIdOf(token: string): string {
  const [header = ''] = token.split('.')
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
}

interface Service {
  readonly output: () => string
  call(path: string, body?: object, token?: string): Promise<{ status: number; data: Data }>
  stop(): Promise<void>
}

interface Data {
  accessToken: string
  refreshToken: string
  user: { id: string; roles: string[] }
}

// The dev script's command, without the watcher.
async function serve(root: string): Promise<Service> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['--env-file-if-exists=.env', 'src/server.js'], {
    cwd: root,
    env: { PATH, HOME, ...sourceEnv, PORT: '0' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const url = await new Promise<string>((done, fail) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /serves (http:\S+)/.exec(output)?.[1]
      if (found !== undefined) done(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('close', () => fail(new Error(`ended before it served: ${output}`)))
  })
  return {
    output: () => output,
    async call(path, body, token) {
      const response = await fetch(`${url}/api/v1/auth${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(body && { 'Content-Type': 'application/json' }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, data: text === '' ? undefined : JSON.parse(text).data }
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

describe('api keys generate', () => {
  it('prints a key of 32 random bytes as a line of .env', async () => {
    const first = await api('/', ['keys', 'generate'])
    expect(first.code).toBe(0)
    const value = readVariable(first.stdout, 'JWT_SECRET')
    expect(Buffer.from(value, 'base64url')).toHaveLength(32)
    expect((await api('/', ['keys', 'generate'])).stdout).not.toBe(first.stdout)
  })

  it.each([
    ['ES256', 'ec'],
    ['RS256', 'rsa'],
  ])('makes a key pair for %s', async (alg, type) => {
    const { code, stdout } = await api('/', ['keys', 'generate', '--alg', alg, '--json'])
    expect(code).toBe(0)
    const output = JSON.parse(stdout)
    expect(output).toMatchObject({ ok: true, command: 'keys generate', alg })
    expect(output.variable).toBe('JWT_SIGNING_KEYS')
    const key = Buffer.from(output.value, 'base64')
    expect(createPrivateKey({ key, format: 'der', type: 'pkcs8' }).asymmetricKeyType).toBe(type)
  })

  it('TOK-01 knows no other algorithm', async () => {
    const { code, stderr } = await api('/', ['keys', 'generate', '--alg', 'HS265'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean HS256?')
  })
})

describe('api keys rotate', () => {
  it('TOK-09 puts a new key in front and leaves every other byte', async () => {
    const root = await createProject()
    const [old = ''] = keysOf(root)
    const text = `# mine\r\nexport JWT_SECRET="${old}" # do not share\r\nPORT=4000\r\n`
    writeFileSync(join(root, '.env'), text)
    chmodSync(join(root, '.env'), 0o644)
    const { code, stdout, stderr } = await api(root, ['keys', 'rotate'])
    expect(code).toBe(0)
    const [first = '', ...others] = readVariable(readEnv(root), 'JWT_SECRET').split(',')
    expect(others).toEqual([old])
    expect(readEnv(root)).toBe(text.replace(`"${old}"`, `${first},${old}`))
    expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600)
    expect(readdirSync(root)).not.toContain('.env.tmp')
    for (const key of [first, old]) expect(stdout + stderr).not.toContain(key)
  })

  it('keeps the number of keys set by --keep', async () => {
    const root = await createProject()
    await api(root, ['keys', 'rotate'])
    await api(root, ['keys', 'rotate'])
    const [present] = keysOf(root)
    const { stdout } = await api(root, ['keys', 'rotate', '--keep', '1', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ variable: 'JWT_SECRET', alg: 'HS256', keys: 2 })
    expect(keysOf(root).slice(1)).toEqual([present])
    expect((await api(root, ['keys', 'rotate', '--keep', 'all'])).code).toBe(2)
  })

  it('begins where there is no .env, for this user only', async () => {
    const root = await createProject()
    rmSync(join(root, '.env'))
    expect((await api(root, ['keys', 'rotate'])).code).toBe(0)
    expect(keysOf(root)).toHaveLength(1)
    expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600)
  })

  it('rotates key pairs, and rejects a second algorithm', async () => {
    const root = await createProject()
    await api(root, ['keys', 'rotate', '--alg', 'ES256'])
    await api(root, ['keys', 'rotate'])
    expect(keysOf(root, 'JWT_SIGNING_KEYS')).toHaveLength(2)
    expect(keysOf(root)).toHaveLength(1)
    const before = readEnv(root)
    const { code, stderr } = await api(root, ['keys', 'rotate', '--alg', 'RS256'])
    expect(code).toBe(2)
    expect(stderr).toContain('the keys in .env are for ES256')
    expect(readEnv(root)).toBe(before)
    writeFileSync(join(root, '.env'), 'JWT_SIGNING_KEYS=nonsense\n')
    expect((await api(root, ['keys', 'rotate'])).stderr).toContain('contains no readable key')
  })

  it('warns when the environment wins over the file', async () => {
    const root = await createProject()
    const world = { cwd: root, env: { JWT_SECRET: 'elsewhere' } }
    const { stderr } = await runProgram(createApiProgram, ['keys', 'rotate'], world)
    expect(stderr).toContain('JWT_SECRET is also set in this environment')
  })

  it('is for projects', async () => {
    expect((await api('/', ['keys', 'rotate'])).code).toBe(5)
  })
})

describe('setVariable', () => {
  it('sets the assignment that counts, and none in a comment', () => {
    expect(setVariable('', 'A', '1')).toBe('A=1\n')
    expect(setVariable('B=2', 'A', '1')).toBe('B=2\nA=1\n')
    expect(setVariable('# A=0\nA=1\nA = 2 # two\n', 'A', '3')).toBe('# A=0\nA=1\nA = 3 # two\n')
    expect(setVariable("\uFEFFA='x'\n", 'A', '3')).toBe('\uFEFFA=3\n')
    expect(setVariable('A=\nB=2\n', 'A', '3')).toBe('A=3\nB=2\n')
    expect(readVariable('AB=1\n', 'A')).toBe('')
  })
})

describe('api users create', () => {
  const create = (root: string, email: string, ...args: string[]): Promise<Result> =>
    api(root, ['users', 'create', '--email', email, '--password-stdin', ...args], `${password}\n`)

  it('TOK-09 works while the service runs and while it does not, as rotating keys does', async () => {
    const root = await createLinkedJavaScript()
    const service = await serve(root)
    const warm = await create(root, 'Ada@example.org', '--role', 'admni')
    expect(warm.code).toBe(0)
    expect(warm.stdout).toContain('create     ada@example.org  roles admni, id')
    expect(warm.stderr).toContain('no route requires the role admni')
    expect(warm.stdout + warm.stderr).not.toContain(password)
    const login = await service.call('/login', { email: 'ada@example.org', password })
    expect(login.data.user.roles).toEqual(['admni'])
    // The project as it was made: a forgotten password is one printed link away.
    await service.call('/forgot-password', { email: 'ada@example.org' })
    await service.stop()
    const mails = readdirSync(join(root, '.data/mail'))
    const mail = mails.find((name) => name.includes('reset-password')) ?? ''
    const printed = /mail to ada@example\.org: .* (http:\S+token=\S+)/.exec(service.output())
    expect(readFileSync(join(root, '.data/mail', mail), 'utf8')).toContain(printed?.[1])

    const taken = await create(root, 'ada@example.org')
    expect(taken.code).toBe(3)
    expect(taken.stderr).toContain('ada@example.org is already registered')
    const cold = await create(root, 'cold@example.org', '--role', 'admin', '--json')
    expect(JSON.parse(cold.stdout)).toEqual({
      ok: true,
      command: 'users create',
      user: { email: 'cold@example.org', roles: ['admin'], id: expect.any(String) },
      warnings: [],
    })

    // No one is logged out: tokens of the first process are valid in the second one.
    expect((await api(root, ['keys', 'rotate'])).code).toBe(0)
    const next = await serve(root)
    const { accessToken, refreshToken } = login.data
    expect((await next.call('/me', undefined, accessToken)).status).toBe(200)
    const refreshed = await next.call('/refresh-token', { refreshToken })
    expect(refreshed.status).toBe(200)
    expect(keyIdOf(refreshed.data.accessToken)).not.toBe(keyIdOf(accessToken))
    expect((await next.call('/login', { email: 'cold@example.org', password })).status).toBe(200)
    await next.stop()
  })

  it.skipIf(!hasTerminal)('asks in a terminal, and does not show the password', async () => {
    const root = await createLinkedJavaScript()
    const command = ['node', program, 'users', 'create', '--role', 'admin']
    const terminal = openTerminal(command, root, sourceEnv)
    for (const [question, reply] of [
      ['E-mail address', 'ada@example.org'],
      ['Password', password],
      ['Repeat the password', password],
    ] as const) {
      await terminal.waitFor(question)
      terminal.type(reply + keys.enter)
    }
    expect(await terminal.end()).toBe(0)
    expect(terminal.shown()).toContain('ada@example.org  roles admin, id')
    expect(terminal.shown()).not.toContain(password)
  })

  it('grants and revokes roles, which hold at the next request to the running service', async () => {
    const root = await createLinkedJavaScript()
    const service = await serve(root)
    const grant = (...args: string[]): Promise<Result> => api(root, ['users', 'grant', ...args])
    const revoke = (...args: string[]): Promise<Result> => api(root, ['users', 'revoke', ...args])
    await create(root, 'ada@example.org', '--role', 'admin')
    const { data } = await service.call('/login', { email: 'ada@example.org', password })
    const readRoles = async (): Promise<unknown> =>
      (await service.call('/me', undefined, data.accessToken)).data

    const granted = await grant('Ada@example.org', 'editor')
    expect(granted.stdout).toContain('grant      editor  ada@example.org: roles admin, editor')
    expect(granted.stderr).toContain('no route requires the role editor')
    expect(await readRoles()).toMatchObject({ roles: ['admin', 'editor'] })
    const again = await grant('ada@example.org', 'editor', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, role: 'editor' })

    const last = await revoke('ada@example.org', 'admin')
    expect(last.code).toBe(3)
    expect(last.stderr).toContain('ada@example.org is the last administrator')
    expect(last.stderr).toContain('api users grant <email> admin')
    const unknown = await grant('bob@example.org', 'editor')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('there is no user bob@example.org')
    expect(unknown.stderr).toContain('database: embedded:')

    const app = join(root, 'src/app.js')
    const text = readFileSync(app, 'utf8')
    writeFileSync(app, `import { defineRoles } from '@create-api/core'\n${text}`)
    addOption(root, "auth: { roles: defineRoles({ editor: ['posts:write'] }) }")
    const wrong = await grant('ada@example.org', 'editr')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain("'editr' is not a role; did you mean 'editor'?")
    expect(wrong.stderr).toContain('auth.roles')
    const revoked = await revoke('ada@example.org', 'editor', '--json')
    expect(JSON.parse(revoked.stdout)).toMatchObject({
      command: 'users revoke',
      user: { email: 'ada@example.org', roles: ['admin'] },
      changed: true,
      warnings: [],
    })
    expect(await readRoles()).toMatchObject({ roles: ['admin'] })
    await service.stop()
  })

  it('lists users page by page, with a role or all', async () => {
    const root = await createLinkedJavaScript()
    const list = (...args: string[]): Promise<Result> => api(root, ['users', 'list', ...args])
    expect((await list()).stdout).toContain('There are no users.')
    await create(root, 'bob@example.org')
    await create(root, 'ada@example.org', '--role', 'admin')
    const all = await list()
    expect(all.code).toBe(0)
    expect(all.stdout).toMatch(
      /^[0-9a-f]{24} {2}ada@example\.org {2}\[admin\] {2}since \d{4}-\d\d-\d\d\n[0-9a-f]{24} {2}bob@example\.org {2}\[\] /,
    )
    const first = JSON.parse((await list('--limit', '1', '--json')).stdout)
    expect(first).toMatchObject({ ok: true, command: 'users list', next: 'ada@example.org' })
    expect(first.users).toEqual([
      {
        id: expect.any(String),
        email: 'ada@example.org',
        roles: ['admin'],
        disabled: false,
        emailVerified: false,
        createdAt: expect.any(String),
      },
    ])
    const more = await list('--limit', '1')
    expect(more.stderr).toContain('api users list --after ada@example.org')
    const second = JSON.parse((await list('--after', 'Ada@example.org', '--json')).stdout)
    expect(second).toMatchObject({ users: [{ email: 'bob@example.org' }], next: null })
    const admins = JSON.parse((await list('--role', 'admin', '--json')).stdout)
    expect(admins.users).toMatchObject([{ email: 'ada@example.org' }])
    expect((await list('--role', 'editor')).stdout).toContain('No user has the role editor.')
    for (const limit of ['0', '1001', 'x', '-1']) {
      const { code, stderr } = await list('--limit', limit)
      expect([code, stderr]).toEqual([2, expect.stringContaining('a number from 1 to 1000')])
    }
  })

  it("rejects what the application's own rules reject", async () => {
    const root = await createLinkedJavaScript()
    const wrong = await create(root, 'stranger', '--field', 'age=42')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('email must be an e-mail address')
    expect(wrong.stderr).toContain('age')
    const args = ['users', 'create', '--email', 'a@example.org', '--password-stdin']
    const common = await api(root, args, 'password')
    expect(common.code).toBe(2)
    expect(common.stderr).toContain('password is too easy to guess')
    addOption(root, 'auth: false')
    const off = await create(root, 'a@example.org')
    expect(off.code).toBe(1)
    expect(off.stderr).toContain('authentication is disabled')
  })

  it('says what is missing before it starts anything', async () => {
    const root = await createProject()
    expect((await api(root, ['users', 'create'])).stderr).toContain('--email is missing')
    const noPassword = await api(root, ['users', 'create', '--email', 'a@example.org'])
    expect(noPassword.code).toBe(2)
    expect(noPassword.stderr).toContain('--password-stdin')
    const args = ['users', 'create', '--email', 'a@example.org', '--password-stdin']
    expect((await api(root, args, '\n')).stderr).toContain('is empty')
    const field = await api(root, [...args, '--field', 'name'], password)
    expect(field.stderr).toContain('--field name is not name=value')
  })
})
