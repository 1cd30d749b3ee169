import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toZodCode } from '../../src/lib/fields/field-code.ts'
import { modelScript } from '../../src/lib/infer/model-script.ts'
import { runScript } from '../../src/lib/inspect/run-in-app.ts'
import { readModel } from '../../src/lib/models/read-model.ts'
import { type ModelDescription } from '../../src/lib/project/model-description.ts'
import { readProject } from '../../src/lib/project/open-project.ts'
import { createLinkedProject, sourceEnv } from '../linked-project.ts'

// The values leave out what docs/existing-models.md lists as intended differences.

interface Sample {
  /** Code of the path of the schema. */
  readonly code: string
  readonly value: fc.Arbitrary<unknown>
}

const flag = (code: string): fc.Arbitrary<string> => fc.constantFrom('', `, ${code}`)
const options = (...flags: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(...flags.map(flag)).map((parts) => parts.join(''))
const required = 'required: true'

function leaf(
  type: string,
  flags: readonly string[],
  values: readonly unknown[],
): fc.Arbitrary<Sample> {
  return options(...flags).map((stated) => ({
    code: `{ type: ${type}${stated} }`,
    value: fc.constantFrom(...values),
  }))
}

const texts = ['', 'a', 'abc', 'abcdefgh', 'x'.repeat(30)]
const leaves = fc.oneof(
  leaf(
    'String',
    [required, 'minlength: 2', 'maxlength: 6', 'trim: true', 'lowercase: true'],
    texts,
  ),
  leaf('String', [required, "default: 'abc'"], texts),
  leaf('String', [required, 'match: /^[a-c]+$/'], texts.slice(1)),
  leaf('String', [required, "enum: ['a', 'abc']", "default: 'a'"], texts),
  leaf('Number', [required, 'min: 0', 'max: 10', 'default: 5'], [-1, 0, 0.5, 10, 11, 'many', {}]),
  leaf('Number', [required, 'enum: [0, 10]'], [-1, 0, 10, 'many']),
  leaf('Schema.Types.Int32', [required, 'min: 1'], [0, 1, 2 ** 31, 'many']),
  leaf('Boolean', [required, 'default: true'], [true, false, 'maybe']),
  leaf('Date', [required, 'default: Date.now'], ['2026-01-02T03:04:05Z', 'soon', {}]),
  leaf(
    'Schema.Types.ObjectId',
    [required, "ref: 'Other'"],
    ['0123456789abcdef01234567', 'nope', {}],
  ),
  leaf('Schema.Types.Decimal128', [required], ['1.5', '-3', 'many', {}]),
  leaf('Schema.Types.UUID', [required], ['00000000-0000-4000-8000-000000000000', 'nope']),
  leaf('Schema.Types.Mixed', [required], ['a', 1, true, { a: [1] }, [{}]]),
)

const name = fc.constantFrom('a', 'b', 'c', 'd')

function members(
  sample: fc.Arbitrary<Sample>,
): fc.Arbitrary<readonly (readonly [string, Sample])[]> {
  return fc.uniqueArray(fc.tuple(name, sample), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 4,
  })
}

const toCode = (found: readonly (readonly [string, Sample])[]): string =>
  `{ ${found.map(([key, { code }]) => `${key}: ${code}`).join(', ')} }`

// A member may be absent.
const toValue = (found: readonly (readonly [string, Sample])[]): fc.Arbitrary<unknown> =>
  fc.record(Object.fromEntries(found.map(([key, { value }]) => [key, value])), { requiredKeys: [] })

const samples: fc.Arbitrary<Sample> = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: leaves, weight: 3 },
    { arbitrary: tie('sample').map(toListSample), weight: 1 },
    { arbitrary: tie('sample').map(toMapSample), weight: 1 },
    {
      arbitrary: members(tie('sample')).map((found) => ({
        code: toCode(found),
        value: toValue(found),
      })),
      weight: 1,
    },
    {
      arbitrary: fc.tuple(members(tie('sample')), flag(required)).map(([found, stated]) => ({
        code: `{ type: new Schema(${toCode(found)})${stated} }`,
        value: fc.oneof({ arbitrary: toValue(found), weight: 5 }, fc.constant('nope')),
      })),
      weight: 1,
    },
  ),
})).sample

const isScalar = ({ code }: Sample): boolean =>
  code.startsWith('{ type:') && !code.startsWith('{ type: Map')

// Mongoose runs no validators of lists and maps in lists.
function toListSample(sample: Sample): Sample {
  const { code, value } =
    isScalar(sample) || !/^\[|^\{ type: Map/.test(sample.code) ? sample : toObjectSample(sample)
  return { code: `[${code}]`, value: fc.array(value, { maxLength: 3 }) }
}

// A default of the values makes Mongoose fail where the map is absent.
function toMapSample(sample: Sample): Sample {
  const isPlain = isScalar(sample) && !sample.code.includes('default')
  const { code, value } = isPlain ? sample : toObjectSample(sample)
  const of = isPlain ? code : `new Schema(${code})`
  return { code: `{ type: Map, of: ${of} }`, value: fc.dictionary(name, value, { maxKeys: 3 }) }
}

function toObjectSample({ code, value }: Sample): Sample {
  return { code: `{ in: ${code} }`, value: fc.record({ in: value }, { requiredKeys: [] }) }
}

const cases = members(samples).chain((found) =>
  fc.array(toValue(found), { minLength: 15, maxLength: 15 }).map((values) => ({
    schema: toCode(found),
    values,
  })),
)

// Describes every model of a file.
const describeScript = `
  const described = []
  for (const name of input.names) {
    await (async (input, finish) => { ${modelScript} })({ ...input, name }, (one) => described.push(one))
  }
  finish(described)
`

// Asks each model and its validation for their opinion on values.
const judgeScript = `
  const { z } = await import('zod')
  const { decimal, instant, objectId } = await import('@create-api/core/resource')
  const models = await import(input.url)
  finish(input.cases.map(({ name, code, values }) => {
    const schema = new Function('z', 'decimal', 'instant', 'objectId', 'return ' + code)(z, decimal, instant, objectId)
    return values.map((value) => {
      const { error } = schema.safeParse(value)
      let failure
      try {
        failure = new models[name](value).validateSync()
      } catch (thrown) {
        failure = thrown
      }
      return { validation: error?.issues[0]?.path.join('.') + ' ' + error?.issues[0]?.message, model: String(failure?.message), same: !error === !failure }
    })
  }))
`

interface Opinion {
  readonly validation: string
  readonly model: string
  readonly same: boolean
}

it('the validation accepts what a model accepts', { timeout: 600_000 }, async () => {
  const seed = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31)
  const numRuns = Number(process.env['MODEL_SCHEMAS'] ?? 200)
  const found = fc.sample(cases, { seed, numRuns })
  const names = found.map((_, index) => `M${index}`)
  const root = await createLinkedProject()
  const lines = found.map(
    ({ schema }, index) => `export const M${index} = model('M${index}', new Schema(${schema}))`,
  )
  const text = ["import { model, Schema } from 'mongoose'", ...lines, ''].join('\n')
  writeFileSync(join(root, 'models.ts'), text)
  const project = readProject(root)
  const env = { PATH: process.env['PATH'], ...sourceEnv }
  const path = join(root, 'models.ts')
  const input = {
    path,
    file: 'models.ts',
    url: pathToFileURL(path).href,
    text: '',
    names,
    model: 'M',
  }
  const described = await runScript<readonly { readonly description: ModelDescription }[]>(
    project,
    describeScript,
    { env, input },
  )
  const judged = found.map(({ values }, index) => {
    const { description } = described[index] ?? {}
    if (!description) throw new Error(`M${index} was not described`)
    const { fields } = readModel(description)
    const shape = fields.map((field) => `${field.name}: ${toZodCode(field)}`)
    return { name: `M${index}`, code: `z.strictObject({ ${shape.join(', ')} })`, values }
  })
  const opinions = await runScript<readonly (readonly Opinion[])[]>(project, judgeScript, {
    env,
    input: { url: input.url, cases: judged },
  })
  const differences = opinions.flatMap((ofModel, index) =>
    ofModel.flatMap(({ same, ...opinion }, at) =>
      same ? [] : [{ ...opinion, schema: found[index]?.schema, value: found[index]?.values[at] }],
    ),
  )
  const accepted = opinions.flat().filter(({ model }) => model === 'undefined').length
  expect({ seed, differences: differences.slice(0, 5) }).toEqual({ seed, differences: [] })
  expect(accepted).toBeGreaterThan(numRuns)
})
