import { z, type ZodType } from 'zod'
import { closestName } from './closest-name.ts'
import { parseDuration } from './parse-duration.ts'
import { parseSize } from './parse-size.ts'

/** Where a service runs. */
export type Environment = 'development' | 'test' | 'production'

/** A duration: seconds as a number, or text such as `15m`, `1h`, `250ms`. */
export type Duration = number | string

type Default = string | number | boolean

// The properties of an option besides its type. Its description is the TSDoc comment of its key,
// which editors show; descriptions.ts has the text for the tables.
export interface OptionFacts {
  /** The environment variable with the same meaning. */
  readonly env?: string
  /** The default as it would be written in code, for every environment or for each. */
  readonly default?: Default | Readonly<Record<Environment, Default | undefined>>
  /** Whether the value must not be shown. */
  readonly secret?: boolean
  /** Value for `.env.example`, where the default says too little. */
  readonly example?: string
}

const registry = z.registry<OptionFacts>()

// One option: the schema that checks it, and its facts. Without a default its value may be absent.
export function option<Value, Input>(
  schema: ZodType<Value, Input>,
  facts: OptionFacts & { readonly default: Default | Readonly<Record<Environment, Default>> },
): ZodType<Value, Input>
export function option<Value, Input>(
  schema: ZodType<Value, Input>,
  facts?: OptionFacts,
): ZodType<Value | undefined, Input>
export function option(schema: ZodType, facts: OptionFacts = {}): ZodType {
  return schema.register(registry, facts)
}

// An option that only code can provide; the compiler checks it.
export function code<T>(): ZodType<T | undefined, T> {
  return option(z.custom<T>())
}

export type Shape = Readonly<Record<string, ZodType>>

/** The options as users write them: each may be left out. */
export type Options<S> = { [Key in keyof S]?: z.input<S[Key]> | undefined }

/** The values that the service works with: checked, with defaults, durations in milliseconds. */
export type Values<S> = { readonly [Key in keyof S]: z.output<S[Key]> }

// Values of which some could not be read.
export type Unfinished<T> = T extends readonly unknown[] | ((...values: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: Unfinished<T[Key]> }
    : T

export function section<S extends Shape>(shape: S): ZodType<Values<S>, Options<S>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readOptions adds the defaults that Zod does not know
  return z.strictObject(shape) as unknown as ZodType<Values<S>, Options<S>>
}

export function orFalse<Value, Input>(
  schema: ZodType<Value, Input>,
): ZodType<Value | false, Input | false> {
  return orLiteral(schema, false)
}

// A section, or one value instead of it.
export function orLiteral<Value, Input, const Other extends string | false>(
  schema: ZodType<Value, Input>,
  other: Other,
): ZodType<Value | Other, Input | Other> {
  return z.union([schema, z.literal(other)])
}

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/** A problem of one option or variable. */
export interface ConfigProblem {
  /** The environment variable, or the path of the option: `PORT`, `server.port`. */
  readonly name: string
  /** The problem and how to fix it, without the value. */
  readonly problem: string
}

export interface Reading<T> {
  /** Complete when there are no problems. */
  readonly values: T
  readonly problems: readonly ConfigProblem[]
  /** Options that do not exist. */
  readonly unknown: readonly string[]
}

// An empty variable counts as absent: compose files and CI pass `PORT=` for one that is not set.
export function readVariable(env: ProcessEnvironment, name: string): string | undefined {
  return env[name] || undefined
}

export interface ReadContext {
  readonly env: ProcessEnvironment
  readonly environment: Environment
}

// Reads every option: what code says wins, then the environment, then the default. The variables of
// a section that is off are not read.
export function readOptions<S extends Shape>(
  shape: S,
  options: object,
  context: ReadContext,
  prefix = '',
): Reading<Values<S>> {
  const values: Record<string, unknown> = {}
  const problems: ConfigProblem[] = []
  const unknown = findUnknown(shape, options, prefix)
  for (const [key, schema] of Object.entries(shape)) {
    const path = prefix + key
    const chosen: unknown = Reflect.get(options, key) ?? undefined
    const { shape: inner, other } = readSection(schema)
    if (inner === undefined) {
      const result = readOption(schema, chosen, path, context)
      if (result.problem) problems.push(result.problem)
      else if (result.value !== undefined) values[key] = result.value
    } else if (isOther(chosen ?? defaultOf(schema, context.environment), other)) values[key] = other
    else {
      const given = chosen ?? {}
      const reading = isObject(given)
        ? readOptions(inner, given, context, `${path}.`)
        : notAnObject(path)
      values[key] = reading.values
      problems.push(...reading.problems)
      unknown.push(...reading.unknown)
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built key by key from the shape
  return { values: values as Values<S>, problems, unknown }
}

function isOther(value: unknown, other: unknown): boolean {
  return value !== undefined && value === other
}

function readOption(
  schema: ZodType,
  chosen: unknown,
  path: string,
  { env, environment }: ReadContext,
): { readonly value?: unknown; readonly problem?: ConfigProblem } {
  const { env: variable } = factsOf(schema)
  const given = variable && readVariable(env, variable)
  const value = chosen ?? given ?? defaultOf(schema, environment)
  if (value === undefined) return {}
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  const name = chosen === undefined ? (variable ?? path) : path
  const message = result.error.issues[0]?.message ?? 'is not valid'
  // Checks that factories share name the option themselves.
  const problem = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message
  return { problem: { name, problem } }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object'
}

function notAnObject(name: string): Reading<object> {
  return {
    values: {},
    problems: [{ name, problem: 'must be an object with options' }],
    unknown: [],
  }
}

function findUnknown(shape: Shape, options: object, prefix: string): string[] {
  const known = Object.keys(shape)
  return Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = closestName(key, known)
      const hint = near ? `Did you mean ${prefix}${near}?` : `Known: ${known.join(', ')}.`
      return `has no option ${prefix}${key}. ${hint}`
    })
}

export interface ListedOption {
  readonly path: string
  readonly schema: ZodType
  readonly facts: OptionFacts
}

// Every option of a shape and of the sections in it.
export function listOptions(shape: Shape, prefix = ''): ListedOption[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const path = prefix + key
    const { shape: inner } = readSection(schema)
    return inner ? listOptions(inner, `${path}.`) : [{ path, schema, facts: factsOf(schema) }]
  })
}

export function factsOf(schema: ZodType): OptionFacts {
  return registry.get(schema) ?? {}
}

export function defaultOf(schema: ZodType, environment: Environment): Default | undefined {
  const { default: value } = factsOf(schema)
  return typeof value === 'object' ? value[environment] : value
}

// The options of a section, and the value that is allowed instead of it.
function readSection(schema: ZodType): { readonly shape?: Shape; readonly other?: unknown } {
  if (schema instanceof z.ZodObject) return { shape: schema.shape }
  if (!(schema instanceof z.ZodUnion)) return {}
  const [inner, other] = schema.options
  if (!(inner instanceof z.ZodObject) || !(other instanceof z.ZodLiteral)) return {}
  return { shape: inner.shape, other: other.value }
}

// The schemas of options. Each also reads the text of an environment variable.

// Milliseconds, from `15m` or a number of seconds.
export function duration(min: string, max: string): ZodType<number, Duration> {
  const [least, most] = [parseDuration(min), parseDuration(max)]
  return parsedBy<number, Duration>((value) => {
    const ms = parseDuration(value, '')
    if (ms >= least && ms <= most) return ms
    throw new TypeError()
  }, `must be a duration from ${min} to ${max}, such as 900, 15m or 1h`)
}

// Bytes, from `100kb` or a number.
export function size(): ZodType<number, number | string> {
  const problem = 'must be a size such as 100kb, 1mb or 102400'
  return parsedBy<number, number | string>((value) => parseSize(value), problem)
}

export function integer(min: number, max: number): ZodType<number, number> {
  return parsedBy<number>((value) => {
    const number = /^-?\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new TypeError()
  }, `must be a whole number from ${min} to ${max}`)
}

// False in code, `off` in the environment.
export function orOff<Value, Input>(
  schema: ZodType<Value, Input>,
): ZodType<Value | false, Input | false> {
  return z.custom<Input | false>().transform((value, context) => {
    if (value === false || value === 'off') return false
    const result = schema.safeParse(value)
    if (result.success) return result.data
    const problem = result.error.issues[0]?.message ?? 'is not valid'
    context.addIssue({ code: 'custom', message: `${problem}, or off` })
    return z.NEVER
  })
}

export function oneOf<const Words extends readonly [string, ...string[]]>(
  ...words: Words
): ZodType<Words[number], Words[number]> {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` })
}

export function text(): ZodType<string, string> {
  return z.string('must be text').trim().min(1, 'must not be empty')
}

export function flag(): ZodType<boolean, boolean> {
  return z.boolean('must be true or false')
}

// A boolean in code, `on` or `off` in the environment.
export function onOff(): ZodType<boolean, boolean> {
  return parsedBy<boolean>((value) => {
    if (value === true || value === 'on') return true
    if (value === false || value === 'off') return false
    throw new TypeError()
  }, 'must be on or off')
}

export function matching(pattern: RegExp, problem: string): ZodType<string, string> {
  return z.string(problem).regex(pattern, problem)
}

// Whatever the function accepts; the message of what it throws is the problem, unless one is passed.
export function parsedBy<Value, Input = Value>(
  parse: (value: unknown) => Value,
  problem?: string,
): ZodType<Value, Input> {
  return z.custom<Input>().transform((value, context) => {
    try {
      return parse(value)
    } catch (error) {
      const message = problem ?? (error instanceof Error ? error.message : 'is not valid')
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
  })
}

// A value that is used as it is, once the function has not thrown.
export function checkedBy<T>(check: (value: T) => unknown): ZodType<T, T> {
  return z.custom<T>().superRefine((value, context) => {
    try {
      check(value)
    } catch (error) {
      const message = error instanceof Error ? error.message : 'is not valid'
      context.addIssue({ code: 'custom', message })
    }
  })
}

// The value at the path of an option, such as `auth.mail.from`.
export function readPath(options: object, path: string): unknown {
  return path.split('.').reduce(readKey, options) ?? undefined
}

function readKey(value: unknown, key: string): unknown {
  return Reflect.get(Object(value), key)
}
