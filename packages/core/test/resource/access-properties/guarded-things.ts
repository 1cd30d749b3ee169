import { model, Schema } from 'mongoose'
import { z } from 'zod'
import { createRouter, success } from '../../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  defineView,
  findPage,
  includeReferences,
  inScope,
  instant,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  requireFound,
  requireReferences,
  restrict,
  toOutputSchema,
  toPatchSchema,
  toProjection,
  versioned,
  deleteDocument,
} from '../../../src/resource.ts'
import { createFieldSpec, createSpec, type Spec, toAccess } from './random-access.ts'
import { type Random } from './random-rules.ts'

/** The fields of a document that a client can name. */
export const names = [
  'name',
  'code',
  'a',
  'tags',
  'nested',
  'owner',
  'at',
  'flag',
  'level',
  'other',
] as const

export type FieldName = (typeof names)[number]

/** What is random about the routes of a resource. */
export interface Plan {
  readonly inTenant: boolean
  readonly access: Spec
  /** Who can refer to which documents, and include them. */
  readonly reference: Spec
  /** Fields that only some callers read; `nested.x` is a member of one. */
  readonly readable: Readonly<Partial<Record<FieldName | 'nested.x', Spec>>>
  readonly writable: Readonly<Partial<Record<FieldName, Spec>>>
}

export function createPlan(random: Random): Plan {
  const inTenant = random.chance(45)
  const readable: Partial<Record<FieldName | 'nested.x', Spec>> = {}
  const writable: Partial<Record<FieldName, Spec>> = {}
  const createSome = (): Spec => createFieldSpec(random, inTenant)
  for (const name of names) {
    if (!random.chance(name === 'other' || name === 'owner' ? 10 : 30)) continue
    const reader = random.chance(75) ? createSome() : undefined
    // Who may write is who may read, everyone, or others.
    const writer = random.pick([reader, undefined, createSome()])
    if (reader) readable[name] = reader
    if (writer) writable[name] = writer
  }
  if (random.chance(20)) readable['nested.x'] = createSome()
  const access = createSpec(random, inTenant)
  return { inTenant, access, reference: createSpec(random, inTenant), readable, writable }
}

const { ObjectId } = Schema.Types
const itemSchema = new Schema(
  { k: { type: String, required: true }, n: { type: Number, required: true } },
  { _id: false },
)
export const GuardedModel = model(
  'GuardedThing',
  new Schema(
    {
      organization: ObjectId,
      name: String,
      code: String,
      a: Number,
      tags: { type: [String], default: undefined },
      nested: {
        type: new Schema(
          {
            x: Number,
            list: {
              type: [itemSchema],
              default: undefined,
            },
          },
          { _id: false },
        ),
      },
      owner: ObjectId,
      at: Date,
      flag: Boolean,
      level: Number,
      other: { type: ObjectId, ref: 'GuardedThing' },
    },
    { timestamps: true, minimize: false },
  ).plugin(versioned),
)

/** The router of a plan, written as an application would. */
export function createGuardedRouter(plan: Plan): ReturnType<typeof createRouter> {
  const createThing = toBody(plan)
  const thing = toOutputSchema(createThing)
  const reference = toAccess(plan.reference)
  const view = defineView(thing, {
    fields: ['a', 'flag', 'tags', 'level'],
    include: { other: { response: thing, access: reference } },
  })
  const query = defineListQuery(thing, {
    filters: ['a', 'flag', 'tags', 'owner', 'at', 'level', 'name'],
    sort: ['a', 'at', 'flag', 'level', 'name'],
    defaultSort: ['-level', 'a'],
    search: ['name', 'code'],
    view,
  })
  const params = z.strictObject({
    ...(plan.inTenant && { org: objectId.optional() }),
    id: objectId,
  })
  const list = { query, response: view.response.array(), meta: z.any() }
  return createRouter(
    (route) => [
      route.get('/', list, async (req, res) => {
        const { data, meta } = await findPage(GuardedModel, req.valid.query, { scope: req.scope })
        success(res, await includeReferences(GuardedModel, data, { query: req.valid.query }), meta)
      }),
      route.get(
        '/:id',
        { params, query: view.query, response: view.response, etag: true },
        async (req, res) => {
          const { params: key, query: chosen } = req.valid
          const filter = inScope(req.scope, { _id: key.id })
          const found = await GuardedModel.findOne(filter, toProjection(chosen)).lean()
          const seen = await includeReferences(GuardedModel, requireFound(found), { query: chosen })
          success(res, seen)
        },
      ),
      route.post('/', { body: createThing, response: thing, status: 201 }, async (req, res) => {
        const { body } = req.valid
        await requireReferences(GuardedModel, { other: body.other }, { references: req.references })
        success(res.status(201), await createDocument(GuardedModel, body, { scope: req.scope }))
      }),
      route.put('/:id', { params, body: createThing, response: thing }, async (req, res) => {
        const { body: input, params: key } = req.valid
        await requireReferences(
          GuardedModel,
          { other: input.other },
          { references: req.references },
        )
        const options = { scope: req.scope, match: parseIfMatch(req), schema: createThing, input }
        success(res, await replaceDocument(GuardedModel, { _id: key.id }, options))
      }),
      route.patch(
        '/:id',
        { params, body: toPatchSchema(createThing), response: thing },
        async (req, res) => {
          const { body: patch, params: key } = req.valid
          await requireReferences(
            GuardedModel,
            { other: Object(patch).other },
            { references: req.references },
          )
          const options = {
            scope: req.scope,
            match: parseIfMatch(req),
            schema: toPatchSchema(createThing),
            input: patch,
          }
          success(res, await patchDocument(GuardedModel, { _id: key.id }, options))
        },
      ),
      route.del('/:id', { params }, async (req, res) => {
        const options = { scope: req.scope, match: parseIfMatch(req) }
        await deleteDocument(GuardedModel, { _id: req.valid.params.id }, options)
        success(res)
      }),
    ],
    { access: toAccess(plan.access), references: { other: reference } },
  )
}

function toBody({ readable, writable }: Plan) {
  const number = z.int().min(0).max(9)
  const items = z.array(z.strictObject({ k: z.string().max(5), n: z.int() })).max(5)
  const hidden = readable['nested.x']
  const x = hidden
    ? restrict(number.nullable(), { readable: toAccess(hidden), writable: 'public' })
    : number.nullable().optional()
  const guard = <S extends z.ZodType>(name: FieldName, schema: S): z.ZodOptional<S> => {
    const { [name]: reader } = readable
    const { [name]: writer } = writable
    if (!reader && !writer) return schema.optional()
    return restrict(schema, {
      ...(reader && { readable: toAccess(reader) }),
      // Without a statement, who reads also writes.
      ...(writer !== reader && { writable: writer ? toAccess(writer) : 'public' }),
    })
  }
  return z.strictObject({
    name: guard('name', z.string().max(9)),
    code: guard('code', z.string().max(9)),
    a: guard('a', number.nullable()),
    tags: guard('tags', z.array(z.string().max(5)).max(5)),
    nested: guard('nested', z.strictObject({ x, list: items.optional() })),
    owner: guard('owner', objectId),
    at: guard('at', instant),
    flag: guard('flag', z.boolean()),
    level: guard('level', number.default(1)),
    other: guard('other', objectId),
  })
}
