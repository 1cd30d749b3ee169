import { Schema } from 'mongoose'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiError } from '@create-api/core'
import { patchDocument, toPatchSchema, versioned } from '@create-api/core/resource'
import { createRandom } from '../random.ts'
import { startTestDatabase, type TestDatabase } from '../auth/auth-fixture.ts'
import {
  applyPatch,
  createBody,
  createPatch,
  createValue,
  type Json,
  toSchema,
} from './patch-schemas.ts'

// The long form: PATCH_RUNS=100000 npx vitest run patch-properties
const runs = Number(process.env['PATCH_RUNS'] ?? 3000)
const seed = Number(process.env['PATCH_SEED'] ?? 1)
const patchesOfDocument = 4

const schema = new Schema({}, { strict: false, minimize: false })
let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())

function withoutOwn({ _id, __v, ...document }: Record<string, unknown>): Record<string, unknown> {
  return document
}

const outcomes = { stored: 0, refused: 0 }

it(
  `stores what RFC 7396 and the schema say, or nothing, ${runs} times`,
  { timeout: 3_600_000 },
  async () => {
    const AnyModel = database.connection.model('PatchedAny', schema.plugin(versioned))
    const random = createRandom(seed).below
    const faults: unknown[] = []
    for (let run = 0; run < runs && faults.length < 5; run += patchesOfDocument) {
      const body = createBody(random)
      const strict = toSchema(body)
      const patchSchema = toPatchSchema(strict as never)
      const { _id } = await AnyModel.create(strict.parse(createValue(random, body)))
      for (let count = 0; count < patchesOfDocument; count++) {
        const stored = (): Promise<unknown> => AnyModel.findById(_id).lean().orFail()
        const before = withoutOwn((await stored()) as Record<string, unknown>)
        const patch = createPatch(random, body)
        const expected = strict.safeParse(applyPatch(body, before as Json, patch))
        const mayBe = strict.safeParse(applyPatch(body, before as Json, patch, true))
        const result = await attempt(async () => {
          const input = patchSchema.parse(patch) as Record<string, unknown>
          return patchDocument(AnyModel, { _id }, {
            scope: {},
            schema: patchSchema,
            input,
          } as never)
        })
        const after = withoutOwn((await stored()) as Record<string, unknown>)
        const parsed = strict.safeParse(after)
        const isRight =
          result === 'refused'
            ? !mayBe.success && isDeepStrictEqual(after, before)
            : expected.success &&
              parsed.success &&
              isDeepStrictEqual(strict.parse(parsed.data), strict.parse(expected.data))
        outcomes[result] += 1
        if (!isRight)
          faults.push({
            run,
            body: JSON.stringify(body),
            before,
            patch,
            result,
            after,
            expected: expected.data,
          })
      }
    }
    expect(faults).toEqual([])
  },
)

it('has tried both outcomes often', () => {
  expect(outcomes.stored).toBeGreaterThan(runs / 4)
  expect(outcomes.refused).toBeGreaterThan(runs / 20)
})

async function attempt(patch: () => Promise<unknown>): Promise<'stored' | 'refused'> {
  try {
    await patch()
    return 'stored'
  } catch (error) {
    const isRefusal = error instanceof Error && error.name === 'ZodError'
    if (isRefusal || (error instanceof ApiError && error.code === 'validation_failed'))
      return 'refused'
    throw error
  }
}
