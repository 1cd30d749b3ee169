import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Arbitrary, sample } from 'fast-check'
import { type Model } from 'mongoose'
import { z, type ZodType } from 'zod'
import { type Api } from '../../src/index.ts'
import { parseJson } from '../../src/lib/http/parse-json.ts'
import { expandExponent } from '../../src/lib/json/plain.ts'
import { type Endpoint } from '../../src/lib/route/route.ts'
import { toExample } from '../../src/lib/openapi/example.ts'
import { isJsonObject, type JsonObject } from '../../src/lib/openapi/schema-components.ts'
import { type Decoder, toJsonDecoder, toTextDecoder } from '../../src/lib/schemas/decoder.ts'
import { nearEdges } from './values.ts'

/** A body or parameter that both the document and the service judge. */
export interface Place {
  /** `POST /api/posts body`, or `GET /api/posts page`. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly parameter: { readonly name: string; readonly in: string } | undefined
  /** Whether the body is a form. */
  readonly isForm: boolean
  /** Whether the parameter is repeated for each item of a list. */
  readonly isList: boolean
  /** Texts to send: JSON for a body, a form and the texts of a list; the decoded text of a parameter. */
  readonly texts: Arbitrary<string>
  readonly document: (text: string) => boolean
  readonly service: (text: string) => Promise<boolean>
}

/** Finds the bodies and parameters of an API. `models` validate what the bodies create. */
export function toPlaces(api: Api, models: ReadonlyMap<string, Model<unknown>>): Place[] {
  const document = toObject(api.openapi)
  const judge = createJudge(document)
  return api.routes.flatMap((endpoint) => {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = find(document, ['paths', path, endpoint.method.toLowerCase()])
    const reference = String(Object(operation['requestBody']).$ref)
    const name = reference.split('/').at(-1) ?? ''
    const bodies = ['components', 'requestBodies']
    const content = Object.entries(find(document, [...bodies, name, 'content']))
    const model =
      endpoint.method === 'PATCH' ? undefined : models.get(endpoint.path.split('/')[2] ?? '')
    return [
      ...content.slice(0, 1).map(([type, media]) => {
        const schema = find(toObject(media), ['schema'])
        return type === 'multipart/form-data'
          ? toForm(endpoint, schema, judge)
          : toBody(endpoint, schema, { judge, model })
      }),
      ...[operation['parameters'] ?? []]
        .flat()
        .filter(isJsonObject)
        .filter((parameter) => parameter['in'] !== 'header')
        .map((parameter) => toParameter(endpoint, parameter, judge)),
    ]
  })
}

interface Judge {
  resolve(schema: JsonObject): JsonObject
  accepts(schema: JsonObject, value: unknown): boolean
  nearEdges(schema: JsonObject): Arbitrary<unknown>
}

function toBody(
  endpoint: Endpoint,
  schema: JsonObject,
  { judge, model }: { judge: Judge; model: Model<unknown> | undefined },
): Place {
  const body = endpoint.route.body ?? z.unknown()
  return {
    name: `${endpoint.method} ${endpoint.path} body`,
    endpoint,
    parameter: undefined,
    isForm: false,
    isList: false,
    texts: judge.nearEdges(schema).map((value) => JSON.stringify(value)),
    document: (text) => judge.accepts(schema, JSON.parse(text)),
    async service(text) {
      const result = z.safeParse(body, decode(toJsonDecoder(body), parse(text)))
      return result.success && (!model || (await isValid(model, result.data)))
    },
  }
}

// A form is an object of texts and lists of texts.
function toForm(endpoint: Endpoint, schema: JsonObject, judge: Judge): Place {
  const body = endpoint.route.body ?? z.unknown()
  const properties = toObject(judge.resolve(schema)['properties'])
  const read = (form: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(form).map(([name, value]) => [
        name,
        readTexts(toObject(properties[name]), value),
      ]),
    )
  return {
    name: `${endpoint.method} ${endpoint.path} form`,
    endpoint,
    parameter: undefined,
    isForm: true,
    isList: false,
    texts: judge.nearEdges(schema).map((value) => JSON.stringify(toTexts(toObject(value)))),
    document: (text) => judge.accepts(schema, read(JSON.parse(text))),
    service: async (text) =>
      z.safeParse(body, decode(toTextDecoder(body), JSON.parse(text))).success,
  }

  function toTexts(value: JsonObject): JsonObject {
    const known = Object.entries(value).filter(([name]) => name in properties && name !== 'photo')
    return Object.fromEntries(
      known.flatMap(([name, member]) => {
        const isList = toObject(properties[name])['type'] === 'array'
        const items = [member].flat().map(toText)
        return items.length === 0 ? [] : [[name, isList ? items : items[0]]]
      }),
    )
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function decode(decoder: Decoder | undefined, value: unknown): unknown {
  return decoder ? decoder(value) : value
}

async function isValid(model: Model<unknown>, data: unknown): Promise<boolean> {
  try {
    await new model(data).validate()
    return true
  } catch {
    return false
  }
}

// Undefined for what the parser rejects.
function parse(text: string): unknown {
  try {
    return parseJson(Buffer.from(text), { maxDepth: 32, dollarNames: false })
  } catch {
    return undefined
  }
}

function toParameter(endpoint: Endpoint, parameter: JsonObject, judge: Judge): Place {
  const { in: where, name } = parameter
  const schema = toObject(parameter['schema'])
  const key = String(name)
  const { params, query } = endpoint.route
  const validator: ZodType = (where === 'query' ? query : params) ?? z.unknown()
  const others = where === 'path' ? toOthers(validator, key) : {}
  const isList = schema['type'] === 'array' && where === 'query' && !('pattern' in schema)
  return {
    name: `${endpoint.method} ${endpoint.path} ${key}`,
    endpoint,
    parameter: { name: key, in: String(where) },
    isForm: false,
    isList,
    texts: judge
      .nearEdges(schema)
      .map((value) => (isList ? JSON.stringify([value].flat().map(toText)) : toText(value)))
      // An empty list cannot be sent.
      .filter((text) => !isList || text !== '[]'),
    document: (text) => judge.accepts(schema, readTexts(schema, isList ? JSON.parse(text) : text)),
    async service(text) {
      const sent: unknown[] = isList ? JSON.parse(text) : [text]
      const value = sent.length === 1 ? sent[0] : sent
      return z.safeParse(validator, decode(toTextDecoder(validator), { ...others, [key]: value }))
        .success
    },
  }
}

function toOthers(validator: ZodType, key: string): JsonObject {
  const shape = validator instanceof z.ZodObject ? validator.shape : {}
  return Object.fromEntries(
    Object.keys(shape)
      .filter((name) => name !== key)
      .map((name) => [name, '0'.repeat(24)]),
  )
}

// Converts text by a schema of the document: numbers are spelled as in JSON, integers without fraction and exponent.
function readTexts(schema: JsonObject, value: unknown): unknown {
  const { items } = schema
  if (schema['type'] === 'array' && isJsonObject(items))
    return [value].flat().map((item) => readTexts(items, item))
  if (typeof value !== 'string') return value
  return readText(schema, value)
}

function readText(schema: JsonObject, text: string): unknown {
  const { anyOf, const: constant, enum: values, type } = schema
  if (Array.isArray(anyOf)) {
    // The schema accepts each reading or none, because the types differ.
    const readings = anyOf.filter(isJsonObject).map((option) => readText(option, text))
    return readings.find((reading) => reading !== text) ?? text
  }
  const constants: unknown[] = Array.isArray(values)
    ? values
    : [constant].filter((one) => one !== undefined)
  if (constants.length > 0)
    return constants.includes(text) ? text : (constants.find((one) => String(one) === text) ?? text)
  if (type === 'integer') return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text
  if (type === 'number')
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTuples: false })
  addFormats.default(ajv)
  ajv.addFormat('date-time', isDateTime)
  ajv.addVocabulary(['components'])
  // Ajv divides binary numbers, so that 0.07 would be no multiple of 0.01. All divisors are powers of ten.
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    validate: (divisor: number, value: number) => countDecimals(value) <= countDecimals(divisor),
  })
  // The bounds of decimals, dates and bigints, which are text.
  ajv.addKeyword({
    keyword: 'x-minimum',
    type: 'string',
    validate: (minimum: number | string, value: string) => compare(value, minimum) >= 0,
  })
  ajv.addKeyword({
    keyword: 'x-maximum',
    type: 'string',
    validate: (maximum: number | string, value: string) => compare(value, maximum) <= 0,
  })
  // The digits of a number from the first that is not 0 to the last.
  ajv.addKeyword({
    keyword: 'x-maximum-digits',
    type: 'number',
    validate: (maximum: number, value: number) =>
      value
        .toExponential()
        .replace(/e.*|\D/g, '')
        .replace(/0+$/, '').length <= maximum,
  })
  return ajv
}

function compare(text: string, bound: number | string): number {
  if (String(bound).includes('T')) return Date.parse(text) - Date.parse(String(bound))
  return /^-?\d+$/.test(text) && Number.isInteger(Number(bound))
    ? Number(BigInt(text) - BigInt(bound))
    : Number(text) - Number(bound)
}

const isShortDateTime = addFormats
  .default(new Ajv2020())
  .compile({ type: 'string', format: 'date-time' })

// Ajv reads seconds as a binary number, so that a long fraction of 59 would be 60.
function isDateTime(text: string): boolean {
  return isShortDateTime(text.replace(/(\.\d{3})\d+/, '$1'))
}

function countDecimals(value: number): number {
  return expandExponent(String(value)).split('.')[1]?.length ?? 0
}

function createJudge(document: JsonObject): Judge {
  const ajv = createAjv()
  const components = document['components']
  const schemas = toSchemas(find(document, ['components', 'schemas']))
  const compiled = new Map<JsonObject, ValidateFunction>()
  const valid = new Map<JsonObject, unknown>()

  function accepts(schema: JsonObject, value: unknown): boolean {
    let validate = compiled.get(schema)
    if (!validate) {
      // Ajv would check all components against the meta-schema again.
      const refers = JSON.stringify(schema).includes('"$ref"')
      validate = ajv.compile(refers ? { ...schema, components } : schema)
      compiled.set(schema, validate)
    }
    return validate(value)
  }

  function resolve(schema: JsonObject): JsonObject {
    const { $ref: reference } = schema
    return typeof reference === 'string'
      ? resolve(find(document, reference.slice(2).split('/')))
      : schema
  }

  function toDocumentExample(schema: JsonObject): unknown {
    // JSON has no undefined members.
    const example = toExample(schema, schemas)
    return example === undefined ? undefined : JSON.parse(JSON.stringify(example))
  }

  function toValid(schema: JsonObject): unknown {
    if (!valid.has(schema)) {
      const example = toDocumentExample(schema)
      const found =
        example !== undefined && accepts(schema, example)
          ? example
          : sample(nearEdges(schema, source), { seed: 1, numRuns: 500 }).find((value) =>
              accepts(schema, value),
            )
      valid.set(schema, found)
    }
    return valid.get(schema)
  }

  const source = { resolve, toValid }
  return { accepts, resolve, nearEdges: (schema) => nearEdges(schema, source) }
}

function toSchemas(values: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toObject(value)]))
}

function find(value: JsonObject, path: readonly string[]): JsonObject {
  return path.reduce((below, key) => toObject(below[key]), value)
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
