import { type Request } from 'express'
import { type Writable } from 'node:stream'
import { type output, z, type ZodObject, type ZodType } from 'zod'
import { parseSize } from '../options/parse-size.ts'
import { findLists } from '../schemas/require-sendable.ts'
import { requireCheckable } from './file-signature.ts'
import { loadDicer } from './read-parts.ts'

/** The description of a file when its content begins to arrive. */
export interface FileInfo {
  /** Name of the file field: a key of `files`. */
  readonly field: string
  /**
   * The name that the client gave, as a base name without control characters; at most 200 characters.
   * It is text to show, not a path: two files may have the same name.
   */
  readonly filename: string
  /** The media type that the client declared, in lower case and without parameters. */
  readonly type: string
}

/** A file in the temporary folder. It is removed when the response has ended or the client is gone. */
export interface TemporaryFile extends FileInfo {
  /** Its size in bytes. */
  readonly size: number
  /** Absolute path; the name is random. Move or copy the file to keep it. */
  readonly path: string
}

/** A file that was written to the {@link UploadSink} of its field. */
export interface StoredFile<Result = undefined> extends FileInfo {
  /** Its size in bytes. */
  readonly size: number
  /** The value that `result` of the sink resolved to. */
  readonly result: Result
}

/** The destination of one file: a stream, with a result and a function that discards the file. */
export interface UploadTarget<Result = undefined> {
  /** Receives the content; destroyed with an error when the upload fails. */
  readonly stream: Writable
  /**
   * Awaited after the stream has finished; the value becomes `result` of the file.
   * @default undefined
   */
  readonly result?: Promise<Result> | undefined
  /**
   * Removes the stored content. Called when the file is complete, but the request is rejected before its
   * handler runs: another file is too large, or a field is not valid.
   * @default undefined, nothing
   */
  readonly discard?: (() => unknown) | undefined
}

/** Decides where the content of one file goes. Reading pauses while the stream is slow. */
export type UploadSink<Result = undefined> = (
  file: FileInfo,
  req: Request,
) => Writable | UploadTarget<Result> | Promise<Writable | UploadTarget<Result>>

/** The rules for one file field of {@link multipart}. */
export interface FileRules<Result = unknown> {
  /**
   * Maximum size of one file: bytes, or text such as `5mb`. A larger one returns 413 at once.
   * @default '1mb'
   */
  readonly maxSize?: number | string | undefined
  /**
   * Media types that may be declared: `image/png`, or `image/*` for a group. Others return 422.
   * @default every type
   */
  readonly types?: readonly string[] | undefined
  /**
   * Maximum number of files. With it, even with 1, the handler gets an array of files.
   * @default undefined, one file
   */
  readonly maxCount?: number | undefined
  /**
   * Whether at least one file must be sent.
   * @default true
   */
  readonly required?: boolean | undefined
  /**
   * Whether the first bytes of the content must be those of the declared type. Known are PNG, JPEG, GIF,
   * WebP, AVIF and PDF; `types` must contain no other. The rest of the content is not examined.
   * @default false
   */
  readonly checkContent?: boolean | undefined
  /**
   * Where the content goes.
   * @default a temporary file, removed when the response has ended
   */
  readonly sink?: UploadSink<Result> | undefined
}

/** Options for {@link multipart}. */
export interface MultipartOptions<Fields extends ZodObject, Files> {
  /**
   * Schema of the text fields. Numbers, booleans, dates and bigints are converted. A field that may be repeated
   * is an array.
   * @default no fields
   */
  readonly fields?: Fields | undefined
  /** The file fields by name. */
  readonly files: Files
  /**
   * Maximum size of one text field: bytes, or text such as `100kb`.
   * @default '100kb'
   */
  readonly maxFieldSize?: number | string | undefined
  /**
   * Maximum number of parts: files and fields.
   * @default 100 fields and the files that the rules allow
   */
  readonly maxParts?: number | undefined
  /**
   * Maximum size of the whole body: bytes, or text such as `1gb`.
   * @default the maximum of all files together, and 1 MB
   */
  readonly maxSize?: number | string | undefined
  /**
   * The folder in which a folder for the temporary files of each request is created.
   * @default that of the operating system: TMPDIR
   */
  readonly directory?: string | undefined
}

type FileOf<Rules> = Rules extends { readonly sink: UploadSink<infer Result> }
  ? StoredFile<Result>
  : TemporaryFile

type ValueOf<Rules> = Rules extends { readonly maxCount: number }
  ? readonly FileOf<Rules>[]
  : Rules extends { readonly required: false }
    ? FileOf<Rules> | undefined
    : FileOf<Rules>

/** The `req.valid.body` of a route with {@link multipart}: the parsed fields, and the files under their names. */
export type MultipartBody<Fields extends ZodObject, Files> = output<Fields> & {
  readonly [Name in keyof Files]: ValueOf<Files[Name]>
}

// The rules of one file field with defaults.
export interface FilePlan {
  readonly maxSize: number
  readonly types: readonly string[] | undefined
  readonly maxCount: number
  readonly isList: boolean
  readonly checkContent: boolean
  readonly sink: UploadSink<unknown> | undefined
}

// How the body of a route is read.
export interface MultipartPlan {
  readonly files: ReadonlyMap<string, FilePlan>
  /** Names of the fields that may be repeated. */
  readonly lists: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
  readonly maxFieldSize: number
  readonly maxParts: number
  readonly maxSize: number
  readonly directory: string | undefined
}

const plans = new WeakMap<ZodType, MultipartPlan>()

// How a body is read, if its schema was created by `multipart`.
export function toMultipartPlan(body: ZodType | undefined): MultipartPlan | undefined {
  return body && plans.get(body)
}

/**
 * Describes a `multipart/form-data` body (RFC 7578) for `body` of a route. Files are written to their
 * sinks while the body arrives; fields and files are then validated together. Every part must be
 * declared. Needs the package `@fastify/busboy`.
 * @param options - schema of the fields, rules of the files, limits
 * @returns the schema of the body
 * @throws TypeError when a rule is not valid
 * @throws Error when `@fastify/busboy` is not installed
 * @example
 * ```ts
 * const body = multipart({
 *   fields: z.strictObject({ caption: z.string().max(100) }),
 *   files: { picture: { maxSize: '5mb', types: ['image/png', 'image/jpeg'] } },
 * })
 *
 * post('/', { access: 'user', body, response: z.object({ size: z.int() }), status: 201 }, (req, res) => {
 *   success(res.status(201), { size: req.valid.body.picture.size })
 * })
 * ```
 */
export function multipart<
  const Files extends Readonly<Record<string, FileRules>>,
  Fields extends ZodObject = ZodObject<{}>,
>(options: MultipartOptions<Fields, Files>): ZodType<MultipartBody<Fields, Files>> {
  loadDicer()
  const plan = toPlan(options)
  const shape = Object.fromEntries(
    Object.entries(options.files).map(([name, rules]) => [name, toFileSchema(rules)]),
  )
  const fields: ZodObject = options.fields ?? z.strictObject({})
  const schema = fields.safeExtend(shape)
  plans.set(schema, plan)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stage that reads the body creates the files
  return schema as unknown as ZodType<MultipartBody<Fields, Files>>
}

const defaultSize = '1mb'
const defaultFields = 100
const overhead = 1024 ** 2
// As keys, these names reach the prototype of an object.
export const unsafeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function toPlan(
  options: MultipartOptions<ZodObject, Readonly<Record<string, FileRules>>>,
): MultipartPlan {
  const shape: Readonly<Record<string, ZodType>> = options.fields?.shape ?? {}
  const files = new Map(
    Object.entries(options.files).map(([name, rules]) => [name, toFilePlan(name, rules)]),
  )
  for (const name of [...files.keys(), ...Object.keys(shape)]) requireName(name)
  const twice = [...files.keys()].find((name) => Object.hasOwn(shape, name))
  if (twice !== undefined)
    throw new TypeError(`'${twice}' is a field and a file. Rename one of them.`)
  if (files.size === 0) {
    throw new TypeError('multipart() needs at least one file. Without files use a JSON body.')
  }
  const counts = [...files.values()].map(({ maxCount }) => maxCount)
  const sizes = [...files.values()].map(({ maxCount, maxSize }) => maxCount * maxSize)
  const { maxParts = sum(counts) + defaultFields } = options
  return {
    files,
    fields: new Set(Object.keys(shape)),
    lists: options.fields ? findLists(options.fields) : new Set(),
    maxFieldSize: parseSize(options.maxFieldSize ?? '100kb', 'maxFieldSize'),
    maxParts: requireCount(maxParts, 'maxParts'),
    maxSize: parseSize(options.maxSize ?? sum(sizes) + overhead, 'maxSize'),
    directory: options.directory,
  }
}

function toFilePlan(name: string, rules: FileRules): FilePlan {
  const types = rules.types?.map((type) => type.toLowerCase())
  const { maxCount = 1, checkContent = false } = rules
  const wrong = types?.find((type) => !/^[\w.+-]+\/([\w.+-]+|\*)$/.test(type))
  if (wrong !== undefined) {
    throw new TypeError(`'${wrong}' in types of ${name} is not a media type such as image/png.`)
  }
  if (checkContent) requireCheckable(name, types)
  return {
    maxSize: parseSize(rules.maxSize ?? defaultSize, `maxSize of ${name}`),
    types,
    maxCount: requireCount(maxCount, `maxCount of ${name}`),
    isList: rules.maxCount !== undefined,
    checkContent,
    sink: rules.sink,
  }
}

function requireName(name: string): void {
  if (name !== '' && !unsafeNames.has(name)) return
  throw new TypeError(`'${name}' is not allowed as the name of a field or file.`)
}

function requireCount(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new TypeError(`${name} must be a whole number of at least 1.`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

// The stage puts only files of the field there; what is left is whether there is one.
function toFileSchema({ required = true, maxCount, maxSize, types }: FileRules): ZodType {
  const description = `At most ${parseSize(maxSize ?? defaultSize)} bytes.`
  const one = { type: 'string', format: 'binary', description, ...toContentType(types) }
  const checked = z.unknown().superRefine((value, context) => {
    if (!isMissing(value) || !required) return
    context.addIssue({ code: 'invalid_type', expected: 'file', input: undefined })
  })
  const schema =
    maxCount === undefined
      ? checked.meta(one)
      : checked.meta({
          type: 'array',
          items: one,
          ...(required && { minItems: 1 }),
          maxItems: maxCount,
        })
  return required ? schema : schema.optional()
}

function isMissing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function toContentType(types: FileRules['types']): object {
  const [only, ...others] = types ?? []
  return only === undefined || others.length > 0 ? {} : { contentMediaType: only }
}
