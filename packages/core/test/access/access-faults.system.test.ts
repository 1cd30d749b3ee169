import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  type Access,
  all,
  any,
  type Api,
  createApi,
  createRegistry,
  createRouter,
  defineAuthenticator,
  defineRoles,
  del,
  get,
  patch,
  permission,
  post,
  put,
  type Role,
  role,
  type Router,
  success,
} from '../../src/index.ts'
import { createTenants, member, memberRole } from '../../src/tenants.ts'
import {
  createDocument,
  defineListQuery,
  findPage,
  listMeta,
  objectId,
  patchDocument,
  replaceDocument,
  restoreDocument,
  softDelete,
  deleteDocument,
  toOutputSchema,
  toPatchSchema,
  versioned,
  findDocument,
} from '../../src/resource.ts'
import { getAuth } from '../../src/auth.ts'
import {
  type AccessFault,
  createTestClient,
  findAccessFaults,
  type TestClient,
  type TestUser,
} from '../../src/testing.ts'

// Each test removes one protection from a running application and compares it with what the application declares.

const editor = 'editor' as unknown as Role

const accesses = {
  list: all(member, 'owner') as Access,
  create: all(member, 'owner') as Access,
  read: all(member, 'owner') as Access,
  replace: all(member, 'owner') as Access,
  patch: all(member, any('owner', role(editor))) as Access,
  remove: memberRole('admin') as Access,
  restore: all(member, 'owner') as Access,
  publish: permission('papers:publish') as Access,
  show: any('owner', role(editor)) as Access,
}
type Accesses = typeof accesses

// With a value, queries ignore what it names.
const forgotten = { deletion: false }

const schema = new Schema(
  {
    organization: Schema.Types.ObjectId,
    owner: Schema.Types.ObjectId,
    title: { type: String, required: true },
  },
  { timestamps: true },
)
schema.pre(['find', 'findOne', 'countDocuments', 'findOneAndUpdate'], function forget() {
  if (forgotten.deletion) this.setOptions({ withDeleted: true })
})
schema.plugin(versioned).plugin(softDelete)
const SheetModel = model('Sheet', schema)

const createSheet = z.strictObject({ title: z.string().max(100) })
const sheet = toOutputSchema(createSheet)
const listSheets = defineListQuery(sheet, { filters: ['title'] })

function createSheetsRouter(access: Accesses, inPath: boolean): Router {
  const org = z.object(inPath ? { org: objectId } : {})
  const params = org.extend({ id: objectId })
  const body = createSheet
  return createRouter([
    get(
      '/',
      {
        access: access.list,
        params: org,
        query: listSheets,
        response: sheet.array(),
        meta: listMeta,
      },
      async (req, res) => {
        const { data, meta } = await findPage(SheetModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
    post(
      '/',
      { access: access.create, params: org, body, response: sheet, status: 201 },
      async (req, res) => {
        success(
          res.status(201),
          await createDocument(SheetModel, req.valid.body, { scope: req.scope }),
        )
      },
    ),
    get('/:id', { access: access.read, params, response: sheet }, async (req, res) => {
      success(
        res,
        await findDocument(SheetModel, { _id: req.valid.params.id }, { scope: req.scope }),
      )
    }),
    put('/:id', { access: access.replace, params, body, response: sheet }, async (req, res) => {
      const { scope, valid } = req
      const options = { scope, match: {}, schema: body, input: valid.body }
      success(res, await replaceDocument(SheetModel, { _id: valid.params.id }, options))
    }),
    patch(
      '/:id',
      { access: access.patch, params, body: toPatchSchema(body), response: sheet },
      async (req, res) => {
        const { scope, valid } = req
        const options = { scope, match: {}, schema: toPatchSchema(body), input: valid.body }
        success(res, await patchDocument(SheetModel, { _id: valid.params.id }, options))
      },
    ),
    del('/:id', { access: access.remove, params }, async (req, res) => {
      const { scope, valid } = req
      await deleteDocument(SheetModel, { _id: valid.params.id }, { scope, match: {} })
      success(res)
    }),
    post('/:id/restore', { access: access.restore, params, response: sheet }, async (req, res) => {
      const key = { _id: req.valid.params.id }
      success(res, await restoreDocument(SheetModel, key, { scope: req.scope }))
    }),
  ])
}

// Without organizations.
function createNotesRouter(access: Accesses): Router {
  return createRouter([
    post('/publish', { access: access.publish }, (_req, res) => success(res)),
    get(
      '/:id',
      { access: access.show, params: z.object({ id: objectId }), response: z.object({}) },
      async (req, res) => {
        await findDocument(SheetModel, { _id: req.valid.params.id }, { scope: req.scope })
        success(res, {})
      },
    ),
  ])
}

type From = 'path' | 'header' | 'token'

const roles = defineRoles({ author: [], editor: ['papers:publish'], admin: ['papers:publish'] })
// The organization that a token is issued for, by the id of the user.
const current = new Map<string, string>()

function createSheetsApi(access: Accesses, from: From, options: object = {}): Api {
  return createApi({
    name: 'sheets',
    routes: createRegistry()
      .use(
        from === 'path' ? '/api/orgs/:org/sheets' : '/api/sheets',
        createSheetsRouter(access, from === 'path'),
      )
      .use('/api/notes', createNotesRouter(access)),
    tenants: createTenants({ from, roles: ['editor'] }),
    auth: {
      roles,
      apiKeys: {},
      claims: {
        namespace: 'https://example.com/claims',
        create: ({ id }: { readonly id: string }) => ({ organization: current.get(id) }),
      },
    },
    rateLimit: false,
    log: { level: 'silent' },
    ...options,
  })
}

interface Weakness {
  readonly from?: From
  /** The access that the running application has instead of the declared one. */
  readonly access?: Partial<Accesses>
  readonly options?: object
  /** Start of the paths of the routes to be tested. */
  readonly only?: string
}

async function findFaults({ access, from = 'path', only, options }: Weakness = {}): Promise<
  AccessFault[]
> {
  const declared = createSheetsApi(accesses, from)
  const api = createSheetsApi({ ...accesses, ...access }, from, options)
  const client = await createTestClient(api)
  onTestFinished(async () => {
    forgotten.deletion = false
    await client.stop()
  })
  const enter = async ({ user }: TestUser, organization: string) => {
    current.set(user.id, organization)
    const { accessToken } = (await api.auth?.issueTokens(user)) ?? {}
    return { headers: { Authorization: `Bearer ${accessToken}` } }
  }
  const signedUp = await client.signUp()
  const { id: organization = '' } = (await api.tenants?.create('Acme', signedUp.user.id)) ?? {}
  const owner =
    from === 'token' ? { ...signedUp, ...(await enter(signedUp, organization)) } : signedUp
  const { pattern, paths } = await createDocuments(client, { from, organization, owner })
  const restore = `${paths.deleted}/restore`
  // The paths alone in a header, with a caller who knows the organization; with their patterns in the others.
  const documents =
    from === 'header'
      ? {
          foreign: [paths.own, restore, paths.note],
          deleted: [paths.deleted],
          owner: { ...(await client.createCaller(pattern)), ...owner, scope: { organization } },
        }
      : {
          foreign: {
            [`${pattern}/:id`]: paths.own,
            [`${pattern}/:id/restore`]: restore,
            '/api/notes/:id': paths.note,
          },
          deleted: { [`${pattern}/:id`]: paths.deleted },
          owner,
          organization,
        }
  return findAccessFaults({ ...api, routes: declared.routes }, client, {
    only,
    ...documents,
    ...(from === 'token' && { enter }),
  })
}

interface Place {
  readonly from: From
  readonly organization: string
  readonly owner: TestUser
}

async function createDocuments(client: TestClient, { from, organization, owner }: Place) {
  const pattern = from === 'path' ? '/api/orgs/:org/sheets' : '/api/sheets'
  const path = pattern.replace(':org', organization)
  const fields = { organization, owner: owner.user.id }
  const [own, deleted, note] = [
    await SheetModel.create({ ...fields, title: 'own' }),
    await SheetModel.create({ ...fields, title: 'deleted' }),
    await SheetModel.create({ ...fields, title: 'note' }),
  ]
  const key = { _id: deleted.id }
  await deleteDocument(SheetModel, key, { scope: {}, match: {} })
  const request = supertest.agent(client.url).set(owner.headers).set('X-Organization', organization)
  await request.get(`${path}/${own.id}`).expect(200)
  const paths = {
    own: `${path}/${own.id}`,
    deleted: `${path}/${deleted.id}`,
    note: `/api/notes/${note.id}`,
  }
  return { pattern, paths }
}

function toLines(faults: readonly AccessFault[]): string[] {
  return faults.map(({ problem, route }) => `${route} ${problem}`)
}

const sheets = '/api/orgs/:org/sheets'

describe.each(['path', 'header', 'token'] as const)("findAccessFaults, from: '%s'", (from) => {
  it('finds nothing where every route behaves as declared', async () => {
    expect(toLines(await findFaults({ from }))).toEqual([])
  })

  it('finds documents of another organization', async () => {
    const base = from === 'path' ? sheets : '/api/sheets'
    const lines = toLines(
      await findFaults({ from, only: base, access: { read: 'user', list: 'user' } }),
    )
    for (const who of [
      'a user of another organization',
      'an administrator of another organization',
    ]) {
      expect(lines).toContain(
        `GET ${base}/:id returns 200 to ${who} for another user's document, not 404`,
      )
      expect(lines).toContain(`GET ${base} lists another user's document to ${who}`)
    }
    expect(lines).toContain(`GET ${base} returns 200 for a user of another organization, not 404`)
  })
})

describe('findAccessFaults', () => {
  it.each([
    [
      'documents of a colleague',
      { read: member, list: member },
      [
        `GET ${sheets}/:id returns 200 to a user of the organization for another user's document, not 404`,
        `GET ${sheets} lists another user's document to a user of the organization`,
      ],
    ],
    [
      'writes to documents of a colleague',
      { replace: member, patch: member },
      [
        `PUT ${sheets}/:id returns 200 to a user of the organization for another user's document, not 404 or 422`,
        `PATCH ${sheets}/:id returns 200 to a user of the organization for another user's document, not 404 or 422`,
      ],
    ],
    [
      'roles of an organization that are not required',
      { remove: member },
      [
        `DELETE ${sheets}/:id returns 404 for a user of the organization, not 403`,
        `DELETE ${sheets}/:id returns 404 for a member with the role 'editor', not 403`,
      ],
    ],
    [
      'roles of an organization that are refused',
      { remove: memberRole('editor') },
      [`DELETE ${sheets}/:id returns 403 for a member with the role 'admin'`],
    ],
    [
      'deleted documents that a colleague can restore',
      { restore: member },
      [
        `POST ${sheets}/:id/restore returns 200 to a user of the organization for another user's document, not 404`,
      ],
    ],
    [
      'permissions that are not required',
      { publish: 'user' },
      [
        'POST /api/notes/publish returns 204 for a user, not 403',
        "POST /api/notes/publish returns 204 for a user with the role 'author', not 403",
        "POST /api/notes/publish returns 204 for an API key with the scope 'user', not 403",
      ],
    ],
    [
      'permissions that are refused to a role that has them',
      { publish: role('admin') },
      ["POST /api/notes/publish returns 403 for a user with the role 'editor'"],
    ],
    [
      'roles inside a rule that are not admitted',
      { show: 'owner' },
      [
        "GET /api/notes/:id returns 404 to a user with the role 'editor' for another user's document",
      ],
    ],
    [
      'roles inside a rule that everyone seems to have',
      { show: 'user' },
      [
        "GET /api/notes/:id returns 200 to a user for another user's document, not 404",
        "GET /api/notes/:id returns 200 to a user with the role 'author' for another user's document, not 404",
      ],
    ],
    [
      'documents that their owner cannot read',
      { show: role(editor) },
      ['GET /api/notes/:id returns 403 to the owner for the document'],
    ],
  ] as const)('finds %s', async (_name, access, expected) => {
    const [only = ''] = /\/api\/(orgs\/:org\/)?\w+/.exec(expected[0]) ?? []
    const lines = toLines(await findFaults({ access, only }))
    for (const line of expected) expect(lines).toContain(line)
  })

  it('finds deleted documents that are shown', async () => {
    forgotten.deletion = true
    const lines = toLines(await findFaults({ only: sheets }))
    expect(lines).toContain(
      `GET ${sheets}/:id returns 200 to the owner for a deleted document, not 404`,
    )
    expect(lines).toContain(`GET ${sheets} lists a deleted document to the owner`)
    expect(lines).toContain(
      `PATCH ${sheets}/:id returns 200 to a user with the role 'editor' of the organization for a deleted document, not 404 or 422`,
    )
  })

  it('finds an authenticator that gives every user every permission', async () => {
    const authenticator = defineAuthenticator(async (req) => {
      await getAuth(req).authenticate(req)
      return {
        ...req.user,
        id: req.user?.id ?? '',
        email: '',
        roles: [editor],
        permissions: ['papers:publish'],
      }
    })
    const lines = toLines(await findFaults({ only: '/api/notes', options: { authenticator } }))
    expect(lines).toContain('POST /api/notes/publish returns 204 for a user, not 403')
  })

  it('tests the routes of one resource with the option only', async () => {
    const api = createSheetsApi({ ...accesses, publish: 'user', remove: 'user' }, 'path')
    const { routes } = createSheetsApi(accesses, 'path')
    const client = await createTestClient(api)
    onTestFinished(() => client.stop())
    const faults = await findAccessFaults({ ...api, routes }, client, { only: '/api/notes' })
    expect(new Set(faults.map(({ route }) => route))).toEqual(new Set(['POST /api/notes/publish']))
  })

  it('refuses the path of a document that no route has', async () => {
    const api = createSheetsApi(accesses, 'header')
    const client = await createTestClient(api)
    onTestFinished(() => client.stop())
    const foreign = ['/api/sheet/000000000000000000000001']
    await expect(findAccessFaults(api, client, { foreign })).rejects.toThrow(
      'no route has the path /api/sheet/000000000000000000000001',
    )
  })

  it('names the option that is missing for documents in a header', async () => {
    const api = createSheetsApi(accesses, 'header')
    const client = await createTestClient(api)
    onTestFinished(() => client.stop())
    const foreign = { '/api/sheets/:id': '/api/sheets/000000000000000000000001' }
    await expect(findAccessFaults(api, client, { foreign, only: '/api/sheets' })).rejects.toThrow(
      'findAccessFaults(api, client, { organization })',
    )
  })
})
