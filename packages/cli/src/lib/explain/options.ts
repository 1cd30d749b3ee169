import { posix } from 'node:path'
import { type Explanation, type Subject } from './explanation.ts'
import { readTables, toText } from './read-docs.ts'

interface DocumentedOption {
  /** Path such as `rateLimit.limit`. */
  readonly option: string
  readonly variable?: string | undefined
  readonly type?: string | undefined
  readonly default?: string | undefined
  readonly meaning: string
  readonly page: string
}

// The options of `createApi` from the reference, with their environment variables from docs/configuration.md.
export function createOptionSubject(): Subject {
  const options = new Map(listOptions().map((option) => [option.option, option]))
  for (const variable of listVariables()) {
    options.set(variable.option, { ...options.get(variable.option), ...variable })
  }
  const all = [...options.values()]
  return {
    names: all.flatMap(({ option, variable }) => (variable ? [option, variable] : [option])),
    find: (name) => findOptions(all, name).map(toExplanation),
  }
}

// A name can be several options, as OPENAPI is with another case, and `limit` alone: the closest way of writing counts.
function findOptions(all: readonly DocumentedOption[], name: string): readonly DocumentedOption[] {
  const word = name.toLowerCase()
  const ways: ((path: string) => boolean)[] = [
    (path) => path === name,
    (path) => path.toLowerCase() === word,
    (path) => path.toLowerCase().endsWith(`.${word}`),
  ]
  const found = ways.map((matches) =>
    all.filter(({ option, variable = '' }) => matches(option) || matches(variable)),
  )
  return found.find((options) => options.length > 0) ?? []
}

function listVariables(): readonly (DocumentedOption & { readonly variable: string })[] {
  return readTables('configuration.md')
    .flatMap(({ rows }) => rows)
    .filter((row) => row.has('Variable') && row.has('Option'))
    .map((row) => ({
      variable: toText(row.get('Variable')),
      option: toText(row.get('Option')),
      default: toText(row.get('Default')),
      meaning: toText(row.get('Meaning')),
      page: 'configuration.md#variables-and-options',
    }))
}

// The type of an option that contains options links to their table.
function listOptions(
  page = 'reference/core.md',
  interfaceName = 'apiconfig',
  path = '',
): readonly DocumentedOption[] {
  const table = readTables(page).find(({ section }) => section.toLowerCase() === interfaceName)
  return (table?.rows ?? []).flatMap((row) => {
    const option = path + toText(row.get('Property')).replace(/\?$/, '')
    const type = row.get('Type') ?? ''
    return [
      {
        option,
        type: toText(type),
        default: toText(row.get('Default')),
        meaning: toText(row.get('Description')),
        page: `${page}#${interfaceName}`,
      },
      ...listOptionsOf(type, page, option),
    ]
  })
}

function listOptionsOf(type: string, page: string, option: string): readonly DocumentedOption[] {
  const [, file, name] = /\]\(([^)#]*)#(\w+(?:config|options))\)/.exec(type) ?? []
  if (name === undefined) return []
  const omitted = type.includes('Omit<') ? Array.from(type.matchAll(/"(\w+)"/g)) : []
  const excluded = omitted.map(([, property]) => `${option}.${property}`)
  const linked = file ? posix.join(posix.dirname(page), file) : page
  return listOptions(linked, name, `${option}.`).filter((one) => !excluded.includes(one.option))
}

function toExplanation(option: DocumentedOption): Explanation {
  const { default: fallback, meaning, type, variable } = option
  return {
    json: { kind: 'option', ...option },
    title: variable ? `${option.option}, variable ${variable}` : option.option,
    rows: [
      ['meaning', meaning],
      ['type', type],
      ['default', fallback],
    ],
  }
}
