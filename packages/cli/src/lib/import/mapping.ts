import { readFileSync } from 'node:fs'
import { isJson, type Json, toJson, toList } from '../client/document.ts'
import { CliError } from '../errors/cli-error.ts'

/** What becomes of the columns. */
export interface Mapping {
  /** Fields by the names of their columns. */
  readonly columns: ReadonlyMap<string, string>
  /** Values of fields in every document. */
  readonly set: ReadonlyMap<string, unknown>
  /** Values of fields whose cell is empty. */
  readonly defaults: ReadonlyMap<string, unknown>
  readonly ignored: ReadonlySet<string>
}

export interface MappingOptions {
  /** `Title=title,Author e-mail=author`, or the path of a JSON file; repeatable. */
  readonly map?: readonly string[] | undefined
  /** `field=value`; repeatable. */
  readonly set?: readonly string[] | undefined
  /** Columns, separated by commas; repeatable. */
  readonly ignore?: readonly string[] | undefined
}

export function readMapping({ ignore = [], map = [], set = [] }: MappingOptions): Mapping {
  const files = map.filter(isMappingFile).map(readFile)
  const pairs = map
    .filter((one) => !isMappingFile(one))
    .flatMap((text) => splitList(text).map(toPair))
  return {
    columns: new Map([
      ...files.flatMap((file) => entriesOf(file, 'columns')).map(toColumn),
      ...pairs,
    ]),
    set: new Map([...files.flatMap((file) => entriesOf(file, 'set')), ...set.map(toPair)]),
    defaults: new Map(files.flatMap((file) => entriesOf(file, 'defaults'))),
    ignored: new Set([...files.flatMap((file) => ignored(file)), ...ignore.flatMap(splitList)]),
  }
}

export function isMappingFile(text: string): boolean {
  return text.endsWith('.json') && !text.includes('=')
}

function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function toPair(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  throw new CliError('USAGE', `"${text}" is not name=value`, {
    hint: '--map "Column=field,Other column=other", --map mapping.json, or --set field=value',
  })
}

const parts = ['columns', 'set', 'defaults', 'ignore']
const example = '{ "columns": { "Title": "title" }, "set": {}, "defaults": {}, "ignore": [] }'

function readFile(path: string): Json {
  const content = parseFile(path)
  if (!isJson(content)) throw toFault(path, 'is not a JSON object')
  const unknown = Object.keys(content).find((key) => !parts.includes(key))
  if (unknown !== undefined) throw toFault(path, `has the unknown member "${unknown}"`)
  const { columns = {}, defaults = {}, ignore = [], set = {} } = content
  if (!isJson(columns) || !Object.values(columns).every((field) => typeof field === 'string')) {
    throw toFault(path, 'has columns that are not the names of fields')
  }
  if (!isJson(set) || !isJson(defaults))
    throw toFault(path, 'has set or defaults that are not objects')
  if (!Array.isArray(ignore)) throw toFault(path, 'has an ignore that is not a list of columns')
  return content
}

function parseFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('USAGE', `${path} cannot be read: ${reason}`, { cause: error })
  }
}

function toFault(path: string, fault: string): CliError {
  return new CliError('USAGE', `${path} ${fault}`, { hint: `a mapping is ${example}` })
}

function entriesOf(file: Json, part: string): readonly (readonly [string, unknown])[] {
  return Object.entries(toJson(file[part]))
}

function toColumn([column, field]: readonly [string, unknown]): readonly [string, string] {
  return [column, String(field)]
}

function ignored(file: Json): readonly string[] {
  return toList(file['ignore']).map(String)
}
