import { model, Schema } from 'mongoose'
import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import { findNested } from '../../src/resource.ts'
import { createTestClient } from '../../src/testing.ts'

const BookModel = model('NestedBook', new Schema({ slug: String }))
const NoteModel = model('NestedNote', new Schema({ book: String, owner: String, text: String }))
const params = z.object({ slug: z.string(), id: z.string() })
const response = z.string()
const load = ({ slug, id }: z.output<typeof params>) =>
  findNested(BookModel.findOne({ slug }).lean(), (book) => {
    expectTypeOf(book.slug).toEqualTypeOf<string | null | undefined>()
    return NoteModel.findOne({ _id: id, book: String(book._id) }).lean()
  })

it('is 404 without the parent or below another one, and 403 for a document of somebody else', async () => {
  const routes = createRouter(
    (route) =>
      (['owner', 'public', 'user'] as const).map((access) =>
        route.get(`/${access}/:slug/notes/:id`, { access, params, load, response }, (req, res) => {
          expectTypeOf(req.document.text).toEqualTypeOf<string | null | undefined>()
          expect(req.scope).toBeDefined()
          success(res, req.document.text ?? '')
        }),
      ),
    { access: 'user' },
  )
  const api = createApi({
    routes: createRegistry().use('/api', routes),
    environment: 'test',
    database: { uri: 'embedded:memory' },
    log: { level: 'silent' },
  })
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  const [ada, bob] = [await client.signUp(), await client.signUp()]
  const book = await BookModel.create({ slug: 'one' })
  await BookModel.create({ slug: 'two' })
  const note = { book: book.id, owner: ada.user.id, text: 'mine' }
  const { id } = await NoteModel.create(note)
  const missing = '0'.repeat(24)
  const get = async (caller: typeof ada, path: string): Promise<[number, unknown]> => {
    const { status, body } = await client.request.get(path).set(caller.headers)
    return [status, body.data ?? body.code]
  }
  for (const caller of [ada, bob]) {
    for (const access of ['owner', 'public', 'user']) {
      for (const path of [`nope/notes/${id}`, `two/notes/${id}`, `one/notes/${missing}`]) {
        expect(await get(caller, `/api/${access}/${path}`)).toEqual([404, 'not_found'])
      }
    }
    expect(await get(caller, `/api/public/one/notes/${id}`)).toEqual([200, 'mine'])
  }
  expect(await get(ada, `/api/owner/one/notes/${id}`)).toEqual([200, 'mine'])
  expect(await get(bob, `/api/owner/one/notes/${id}`)).toEqual([403, 'forbidden'])
})

it('can be awaited', async () => {
  const found = findNested(Promise.resolve({ name: 'a' }), async ({ name }) => ({ below: name }))
  expect(await found).toEqual({ below: 'a' })
  const missing = findNested(Promise.resolve(null), () => expect.unreachable())
  await expect(missing).rejects.toMatchObject({ code: 'not_found' })
})
