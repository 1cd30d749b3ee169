import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import {
  type Arbitrary,
  constant,
  constantFrom,
  integer,
  record,
  subarray,
  tuple,
} from 'fast-check'
import { type Json, type Resolve, toInvalid, toValid } from './arbitrary.ts'

/** An operation of a document, with everything in it looked up. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly definition: Json
  readonly parameters: readonly Json[]
  readonly body: { readonly types: readonly string[]; readonly schema: Json } | undefined
  readonly guarded: boolean
}

/** A request made up from the document, and what it tries. */
export interface Attempt {
  readonly operation: Operation
  readonly kind: 'valid' | 'bad body' | 'bad query' | 'no token' | 'bad type'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The response to an attempt. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
}

/** A document as a source of requests and a judge of responses. */
export interface Contract {
  readonly operations: readonly Operation[]
  /** Looks up what a `$ref` refers to. */
  readonly resolve: Resolve
  /** Requests to any operation, on documents whose paths are given. */
  toAttempts(locations: readonly string[], token: string | undefined): Arbitrary<Attempt>
  /** What is wrong with a response; empty when the document foresaw it. */
  findFaults(attempt: Attempt, response: Reply): string[]
}

const idPattern = '^[0-9a-f]{24}$'
const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Options for {@link readContract}. */
export interface ContractOptions {
  /** Paths to look at. */
  readonly only: RegExp
  /** Ids of documents that exist, to refer to. */
  readonly references: readonly string[]
}

export function readContract(document: Json, { only, references }: ContractOptions): Contract {
  const resolve = (schema: Json): Json => {
    const { $ref: reference } = schema
    // A reference to another document is checked, so it must name one that exists.
    if (schema['pattern'] === idPattern) return { type: 'string', enum: references }
    if (typeof reference !== 'string') return schema
    return resolve(at(document, reference.slice(2).split('/')))
  }
  const operations = Object.entries(Object(document['paths'])).flatMap(([path, item]) =>
    methods
      .filter((method) => only.test(path) && method in Object(item))
      .map((method) => {
        const definition = at(Object(item), [method])
        const content = at(resolve(at(definition, ['requestBody'])), ['content'])
        return toOperation(method, path, { definition, content })
      }),
  )
  const judge = createJudge(document, resolve)
  return {
    operations,
    resolve,
    toAttempts: (locations, token) =>
      constantFrom(...operations, ...toLasting(operations)).chain((operation) =>
        toAttempt(operation, { locations, token, resolve }),
      ),
    findFaults: judge,
  }
}

// Twice as often as DELETE, so that there is something left to ask for.
function toLasting(operations: readonly Operation[]): readonly Operation[] {
  return operations.filter(({ method }) => method !== 'DELETE')
}

function at(value: unknown, path: readonly string[]): Json {
  return Object(path.reduce<unknown>((below, key) => Object(below)[key], value))
}

interface Parts {
  readonly definition: Json
  /** Its bodies by media type. */
  readonly content: Json
}

function toOperation(method: string, path: string, { definition, content }: Parts): Operation {
  const types = Object.keys(content)
  const { parameters = [], security } = definition
  return {
    method: method.toUpperCase(),
    path,
    definition,
    parameters: Array.isArray(parameters) ? parameters : [],
    body: types[0] === undefined ? undefined : { types, schema: at(content, [types[0], 'schema']) },
    guarded: Array.isArray(security) && security.length > 0,
  }
}

interface Source {
  readonly locations: readonly string[]
  readonly token: string | undefined
  readonly resolve: (schema: Json) => Json
}

function toAttempt(operation: Operation, source: Source): Arbitrary<Attempt> {
  const kinds: Attempt['kind'][] = ['valid', 'valid', 'bad query']
  if (operation.body) kinds.push('bad body', 'bad body', 'bad type')
  if (operation.guarded) kinds.push('no token')
  return constantFrom(...kinds).chain((kind) =>
    record({
      path: toPath(operation, source),
      query: toQuery(operation, kind, source),
      headers: toHeaders(operation, kind, source),
      body: toBody(operation, kind, source),
    }).map(({ path, query, headers, body }) => ({
      operation,
      kind,
      url: query === '' ? path : `${path}?${query}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    })),
  )
}

const absent = '0'.repeat(24)
const badIds = [absent, 'nope', '%00', '..%2f', 'a'.repeat(500)]
const mostLocations = 5

function toPath({ path }: Operation, { locations }: Source): Arbitrary<string> {
  const end = path.lastIndexOf('}') + 1
  if (end === 0) return constant(path)
  const known = findLocations(path, locations)
  const [some = path.slice(0, end).replaceAll(/\{\w+\}/g, absent)] = known
  const wrong = badIds.map((id) => some.replace(/[^/]+$/, () => id))
  return constantFrom(...known, ...known, ...wrong).map((item) => item + path.slice(end))
}

/** Finds the newest documents that a path can be about: itself, or what it lies under. */
export function findLocations(path: string, locations: readonly string[]): string[] {
  const item = path.slice(0, path.lastIndexOf('}') + 1)
  const pattern = new RegExp(`^${item.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return locations.filter((location) => pattern.test(location)).slice(-mostLocations)
}

function toQuery(operation: Operation, kind: Attempt['kind'], { resolve }: Source) {
  const known = operation.parameters.filter((parameter) => parameter['in'] === 'query')
  const pairs = known.map((parameter) =>
    toValid(Object(parameter['schema']), resolve).map((value) => [
      String(parameter['name']),
      String(value),
    ]),
  )
  const valid = subarray(pairs, { maxLength: Math.min(pairs.length, 4) })
    .chain((chosen) => tuple(...chosen))
    .map((chosen) => chosen.filter(([name]) => name !== 'cursor' && name !== ''))
    // A page cannot be combined with an offset, which a schema for each parameter does not say.
    .map((chosen) => withoutBoth(chosen, 'page', 'offset'))
  if (kind !== 'bad query') return valid.map((chosen) => toText(chosen))
  const faults = [
    ...['nope', '$where', '__proto__', 'title[$ne]', 'constructor'].map((name) => [[name, '1']]),
    ...known.flatMap((parameter) => toBadPairs(parameter)),
  ]
  return tuple(valid, constantFrom(...faults)).map(([chosen, extra]) => {
    const names = new Set(extra.map(([name]) => name))
    return toText([...chosen.filter(([name]) => !names.has(name ?? '')), ...extra])
  })
}

function toBadPairs(parameter: Json): string[][][] {
  const name = String(parameter['name'])
  const { type, enum: values, format, pattern } = Object(parameter['schema'])
  const repeated = [
    [name, '1'],
    [name, '1'],
  ]
  const strict = type !== 'string' || values || format || pattern
  const bad = ['', 'nope', '1e3', '0x10', '-'].filter(
    (value) =>
      (typeof pattern !== 'string' || !new RegExp(pattern).test(value)) &&
      (type !== 'number' || value !== '1e3'),
  )
  return strict ? [repeated, ...bad.map((value) => [[name, value]])] : [repeated]
}

function withoutBoth(pairs: readonly string[][], kept: string, other: string): string[][] {
  const hasKept = pairs.some(([name]) => name === kept)
  return pairs.filter(([name]) => !hasKept || name !== other)
}

function toText(pairs: readonly (readonly string[])[]): string {
  return pairs
    .map(([name = '', value = '']) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

function toHeaders(operation: Operation, kind: Attempt['kind'], { token }: Source) {
  const authorization =
    operation.guarded && token !== undefined && kind !== 'no token'
      ? { authorization: `Bearer ${token}` }
      : {}
  const known = operation.parameters.filter((parameter) => parameter['in'] === 'header')
  const tags = known.map(({ name, schema }) =>
    // A key names one request, so most of them are new.
    (Object(schema).pattern === undefined
      ? constantFrom(undefined, undefined, '"0"', '"1"', '"999"', 'W/"0"', '*', 'nope')
      : integer({ min: 0, max: 1e6 }).map((key) => (key % 2 ? `"${key}"` : undefined))
    ).map((value) => (value === undefined ? {} : { [String(name).toLowerCase()]: value })),
  )
  const types =
    kind === 'bad type'
      ? ['text/plain', 'multipart/form-data', '']
      : (operation.body?.types ?? [''])
  return tuple(constantFrom(...types), ...tags).map(([type, ...rest]): Record<string, string> =>
    Object.assign({}, authorization, type === '' ? {} : { 'content-type': type }, ...rest),
  )
}

function toBody(
  { body }: Operation,
  kind: Attempt['kind'],
  { resolve }: Source,
): Arbitrary<unknown> {
  if (!body) return constant(undefined)
  if (kind !== 'bad body') return toValid(body.schema, resolve)
  return toInvalid(body.schema, resolve) ?? constant(null)
}

function createJudge(document: Json, resolve: (schema: Json) => Json): Contract['findFaults'] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: Json): ValidateFunction => {
    const key = JSON.stringify(schema)
    const known = compiled.get(key)
    if (known) return known
    const fresh = ajv.compile({ ...schema, components: document['components'] })
    compiled.set(key, fresh)
    return fresh
  }

  return ({ operation, kind, url }, response) => {
    const described = at(operation.definition, ['responses'])[String(response.status)]
    if (!described) return [`status ${response.status} is not in the document`]
    const faults = response.status >= 500 ? [`status ${response.status}`] : []
    const definition = resolve(Object(described))
    for (const name of ['X-Request-Id', ...Object.keys(Object(definition['headers']))]) {
      // A view is not a version of the document, so it has no tag.
      const isView = name === 'ETag' && /[?&](fields|include)=/.test(url)
      const always = !isView && !/^(Accept-|RateLimit|Retry-After)/.test(name)
      if (always && !response.headers.has(name)) faults.push(`no header ${name}`)
    }
    const types = Object.keys(at(definition, ['content']))
    if (types[0] === undefined) return response.text === '' ? faults : [...faults, 'a body']
    if (response.type !== types[0]) return [...faults, `media type ${response.type}`]
    const validate = compile(at(definition, ['content', types[0], 'schema']))
    if (!validate(JSON.parse(response.text))) faults.push(ajv.errorsText(validate.errors))
    return [...faults, ...findSurprise(kind, response.status)]
  }
}

// What the document allows is not refused as malformed, and what it forbids is.
function findSurprise(kind: Attempt['kind'], status: number): string[] {
  const expected: Readonly<Record<Attempt['kind'], readonly number[]>> = {
    valid: [200, 201, 204, 304, 403, 404, 409, 412, 422],
    'bad body': [403, 404, 422],
    'bad query': [400, 403, 404],
    'bad type': [403, 404, 415],
    'no token': [401],
  }
  return expected[kind].includes(status) ? [] : [`${status} to ${kind}`]
}
