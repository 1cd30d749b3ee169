import {
  type Access,
  all,
  any,
  createApi,
  createRegistry,
  createRouter,
  defineRoles,
  defineRule,
  get,
  permission,
  role,
  type Role,
  success,
} from '@create-api/core'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcp, type Mcp } from '../src/index.ts'
import { connect } from './connect.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- roles without a declaration of their names
const [editor, support] = ['editor', 'support'] as unknown as [Role, Role]
const guests = defineRule('guests', () => true, { anonymous: true })
const refusing = defineRule('refusing', () => false)

const accesses: Record<string, Access> = {
  public: 'public',
  optional: 'optional',
  user: 'user',
  owner: 'owner',
  editor,
  publish: permission('posts:publish'),
  read: permission('posts:read'),
  editor_or_support: any(role(editor), role(support)),
  editor_and_read: all(editor, permission('posts:read')),
  owner_or_read: any('owner', permission('posts:read')),
  owner_and_publish: all('owner', permission('posts:publish')),
  guests_and_editor: all(guests, role(editor)),
  guests,
}

let service: TestClient
let tools: Mcp

beforeAll(async () => {
  const routes = Object.entries({ ...accesses, refusing }).map(([name, access]) =>
    get(`/${name}`, { access, response: z.unknown() }, ({ scope }, res) => success(res, { scope })),
  )
  const api = createApi({
    name: 'listed',
    routes: createRegistry().use('/api', createRouter(routes)),
    rateLimit: false,
    auth: {
      limits: false,
      apiKeys: {},
      roles: defineRoles({ editor: ['posts:publish'], support: ['posts:read'] }),
    },
  })
  const paths = Object.keys({ ...accesses, refusing }).map((name) => `GET /api/${name}`)
  tools = mcp(api, { tools: { read: paths }, anonymous: true })
  service = await createTestClient(api)
})

afterAll(() => service.stop())

// What a caller sees, and what a call of each tool says.
async function compare(
  headers: Record<string, string>,
): Promise<{ listed: string[]; admitted: string[] }> {
  const { client } = await connect(service.url, headers)
  const listed = (await client.listTools()).tools.map(({ name }) => name)
  const admitted: string[] = []
  for (const name of Object.keys(accesses)) {
    const { status } = await service.request.get(`/api/${name}`).set(headers)
    if (status === 200) admitted.push(`${name}_get`)
  }
  return {
    listed: listed.filter((name) => name !== 'refusing_get').toSorted(),
    admitted: admitted.toSorted(),
  }
}

describe('tools/list', () => {
  it.each([
    ['no credentials', undefined, undefined, 3],
    ['a user', [], undefined, 6],
    ['an editor', [editor], undefined, 11],
    ['an editor of support', [editor, support], undefined, 13],
    ['a key for all that its owner may do as a person', [editor], ['user'], 6],
    ['a key with a role', [editor], [editor], 8],
    ['a key with a permission', [editor, support], ['posts:read'], 5],
  ] as const)('shows %s the tools that the routes admit', async (_name, roles, scopes, count) => {
    const user = roles && (await service.signUp({ roles: [...roles] }))
    const key = user && scopes && (await service.createKey(user, [...scopes]))
    const { admitted, listed } = await compare((key ?? user)?.headers ?? {})
    expect(listed).toEqual(admitted)
    expect(listed).toHaveLength(count)
  })

  it('shows tools whose rule decides for a request, and calls return its problem', async () => {
    const { headers } = await service.signUp()
    const { client, fail } = await connect(service.url, headers)
    const { tools: shown } = await client.listTools()
    expect(shown.map(({ name }) => name)).toContain('refusing_get')
    expect(await fail('refusing_get')).toMatchObject({ status: 403, code: 'forbidden' })
    // A client that knows the name gets the problem of the operation, too.
    expect(shown.map(({ name }) => name)).not.toContain('editor_get')
    expect(await fail('editor_get')).toMatchObject({ status: 403, code: 'forbidden' })
  })
})

describe('list', () => {
  it('returns in this process what tools/list shows the caller', async () => {
    const { headers } = await service.signUp({ roles: [editor] })
    const listOf = async (credentials: Record<string, string>): Promise<unknown> =>
      (await (await connect(service.url, credentials)).client.listTools()).tools
    expect(await tools.list({ headers })).toEqual(await listOf(headers))
    expect(await tools.list()).toEqual(await listOf({}))
  })

  it('throws for credentials that are not valid', async () => {
    const headers = { Authorization: 'Bearer x' }
    await expect(tools.list({ headers })).rejects.toThrow('invalid_token')
  })
})
