import { readdirSync, readFileSync } from 'node:fs'
import {
  Binary,
  BSONRegExp,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson'
import { parse, type ScalarTag } from 'yaml'

/** What a step expects of a reply; without `error` the command must succeed. */
export interface Expectation {
  /** The batch of a cursor in its order: documents with exact types, or their ids. */
  readonly gives?: readonly unknown[]
  /** A part of the reply. */
  readonly reply?: Document
  /** `code` or `code Name`, of the command or of its first write error. */
  readonly error?: number | string
  /** A feature that the embedded database refuses: there, the text of its error 238. */
  readonly refused?: string
}

/** A command, and what it must reply. */
export interface Step extends Expectation {
  readonly run: Document
  /** A session, or `session/number` for a transaction of it. */
  readonly in?: string
  readonly database?: string
  /** Keeps parts of the reply under a name, for `!saved` in later steps. */
  readonly save?: Readonly<Record<string, string>>
  /** Repeats the command until it replies so. */
  readonly until?: boolean
}

/** A rule of MongoDB, as commands and their replies. */
export interface CorpusCase extends Partial<Step> {
  readonly name: string
  /** Documents of the collection `items`. */
  readonly documents?: readonly Document[]
  /** Other collections. */
  readonly others?: Readonly<Record<string, readonly Document[]>>
  readonly indexes?: readonly Document[]
  /** Options with which `items` is created. */
  readonly options?: Document
  readonly steps?: readonly Step[]
  /** The documents of `items` afterwards, by `_id`. */
  readonly leaves?: readonly Document[]
  /** Needs a replica set. */
  readonly replicaSet?: boolean
}

interface Group extends Omit<CorpusCase, 'name'> {
  /** What its cases have in common; they inherit the other fields. */
  readonly about: string
  readonly cases: readonly CorpusCase[]
}

/** A part of an earlier reply. */
export class Saved {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The value of a field that must be missing. */
export const missing = Symbol('missing')

const folder = new URL('.', import.meta.url)

/** The data files of the corpus, a theme each. */
export function listThemes(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
}

/** Reads the cases of a theme. */
export function readTheme(file: string): CorpusCase[] {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const groups: Group[] = parse(text, { customTags: tags, schema: 'core' })
  return groups.flatMap(({ about, cases, ...shared }) =>
    cases.map((item) => ({ ...shared, ...item, name: `${about}: ${item.name}` })),
  )
}

const tags = Object.entries({
  double: (text: string) => new Double(Number(text)),
  long: (text: string) => Long.fromString(text),
  decimal: (text: string) => Decimal128.fromString(text),
  date: (text: string) => new Date(text),
  oid: (text: string) => new ObjectId(text),
  // pattern or /pattern/options
  regex: (text: string) => {
    const [, pattern = text, options = ''] = /^\/(.*)\/(\w*)$/.exec(text) ?? []
    return new BSONRegExp(pattern, options)
  },
  // subtype:hexadecimal
  binary: (text: string) => {
    const [subtype, bytes = ''] = text.split(':')
    return new Binary(Buffer.from(bytes, 'hex'), Number(subtype))
  },
  timestamp: (text: string) => {
    const [t = 0, i = 0] = text.split(':').map(Number)
    return new Timestamp({ t, i })
  },
  min: () => new MinKey(),
  max: () => new MaxKey(),
  saved: (text: string) => new Saved(text),
  missing: () => missing,
}).map(([name, resolve]): ScalarTag => ({ tag: `!${name}`, resolve }))
