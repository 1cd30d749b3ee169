import { describe, expect, it } from 'vitest'
import { runInApp } from '../src/lib/inspect/run-in-app.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { readProject } from '../src/lib/project/open-project.ts'
import { addOption, createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

const owner = 'ada@example.org'

function api(cwd: string, args: readonly string[], input?: string): Promise<Result> {
  return runProgram(createApiProgram, args, {
    cwd,
    env: sourceEnv,
    ...(input !== undefined && { input }),
  })
}

// A project with a user, whose application has API keys or not.
async function createKeyProject(auth: string): Promise<string> {
  const root = await createLinkedJavaScript()
  addOption(root, `auth: ${auth}`)
  const args = ['users', 'create', '--email', owner, '--password-stdin', '--role', 'admin']
  if (auth !== 'false') expect((await api(root, args, 'TestRiver42!\n')).code).toBe(0)
  return root
}

const verify = `async (api, key) => {
  const { withDatabase } = await import('@create-api/core')
  const { user, apiKey } = await withDatabase(api, () => api.auth.apiKeys.verify(key))
  return { email: user.email, apiKey }
}`

describe('api keys create, list and revoke', () => {
  it('print the key alone, once, and end it', async () => {
    const root = await createKeyProject('{ apiKeys: {} }')
    const create = ['keys', 'create', '--user', owner, '--name', 'deploy', '--scopes']
    const made = await api(root, [...create, 'user,admin', '--expires', '12h'])
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^capi_[0-9A-Za-z]{49}\n$/)
    expect(made.stderr).toContain('the key is not shown again')
    expect(made.stderr).not.toContain(made.stdout.trim())
    const { PATH, HOME } = process.env
    const options = { env: { PATH, HOME, ...sourceEnv }, input: made.stdout.trim() }
    expect(await runInApp(readProject(root), verify, options)).toMatchObject({
      email: owner,
      apiKey: { name: 'deploy', scopes: ['user', 'admin'] },
    })

    const json = await api(root, [...create, 'user', '--json'])
    const { key, ...document } = JSON.parse(json.stdout)
    expect(document).toEqual({ ok: true, command: 'keys create', warnings: [] })
    expect(key).toMatchObject({ name: 'deploy', scopes: ['user'], key: /^capi_/ })

    const listed = await api(root, ['keys', 'list', '--user', owner])
    expect(listed.stdout).toContain(`…${made.stdout.trim().slice(-4)}  deploy  [user admin]  until`)
    expect(listed.stdout).not.toContain('capi_')
    const { keys } = JSON.parse(
      (await api(root, ['keys', 'list', '--user', owner, '--json'])).stdout,
    )
    expect(keys).toHaveLength(2)

    const revoked = await api(root, ['keys', 'revoke', key.id])
    expect(revoked.code).toBe(0)
    expect(revoked.stdout).toContain(`delete     API key ${key.id}`)
    const again = await api(root, ['keys', 'revoke', key.id])
    expect(again.code).toBe(2)
    expect(again.stderr).toContain(`there is no valid API key ${key.id}`)

    await api(root, [...create, 'user'])
    const all = await api(root, ['keys', 'revoke', '--user', owner])
    expect(all.stdout).toContain(`delete     2 API keys of ${owner}`)
    const none = await api(root, ['keys', 'revoke', '--user', owner, '--json'])
    expect(JSON.parse(none.stdout)).toMatchObject({ command: 'keys revoke', user: owner, count: 0 })
    const missing = await api(root, ['keys', 'revoke', '--user', 'no@example.org'])
    expect(missing.stderr).toContain('there is no user no@example.org')

    const wrong = await api(root, [...create, 'editor'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('scopes/0 must be one of user, admin')
    const unknown = await api(root, ['keys', 'list', '--user', 'no@example.org'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('there is no user no@example.org')
  })

  it('say what the application must turn on', async () => {
    const list = ['keys', 'list', '--user', owner]
    const without = await api(await createKeyProject('{}'), list)
    expect(without.code).toBe(1)
    expect(without.stderr).toContain('set auth.apiKeys, for example apiKeys: {}')
    const off = await api(await createKeyProject('false'), list)
    expect(off.stderr).toContain('authentication is disabled')
  })

  it.each([
    [['create', '--user', owner, '--name', 'x'], "'--scopes <list>' not specified"],
    [['create', '--user', owner, '--name', 'x', '--scopes', 'a,,b'], 'separated by commas'],
    [
      ['create', '--user', owner, '--name', 'x', '--scopes', 'a', '--expires', '1y'],
      'days or hours, such as 90d or 12h',
    ],
    [['list'], "'--user <email>' not specified"],
    [['revoke'], 'the id of a key, or --user, is missing'],
    [['revoke', 'x', '--user', owner], 'the id of a key, or --user, is missing'],
  ])('refuse %j', async (args, message) => {
    const { code, stderr } = await api('/', ['keys', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
