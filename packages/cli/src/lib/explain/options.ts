import { posix } from 'node:path'
import { type Explanation } from './explanation.ts'
import { readRows, type Row, toText } from './read-docs.ts'

// The options of `createApi` from the reference, with their environment variables from docs/configuration.md.
export function listOptions(): readonly Explanation[] {
  const options = new Map(readOptions().map((one) => [one.names[0], one]))
  for (const row of readRows('configuration.md')) {
    if (!row.has('Variable') || !row.has('Option')) continue
    const option = toText(row.get('Option'))
    const type = options.get(option)?.facts['type']
    const page = 'configuration.md#variables-and-options'
    options.set(option, toExplanation(row, option, { page, type }))
  }
  return [...options.values()]
}

function toExplanation(
  row: Row,
  option: string,
  { page, type }: { readonly page: string; readonly type: string | undefined },
): Explanation {
  const variable = row.has('Variable') ? toText(row.get('Variable')) : undefined
  const meaning = toText(row.get('Meaning') ?? row.get('Description'))
  return {
    names: variable === undefined ? [option] : [option, variable],
    title: variable === undefined ? option : `${option}, variable ${variable}`,
    json: { kind: 'option', option, variable },
    facts: { meaning, type, default: toText(row.get('Default')) },
    page,
  }
}

// The type of an option that contains options links to their table.
function readOptions(
  page = 'reference/core.md',
  interfaceName = 'apiconfig',
  path = '',
): readonly Explanation[] {
  return readRows(page, interfaceName).flatMap((row) => {
    const option = path + toText(row.get('Property')).replace(/\?$/, '')
    const type = row.get('Type') ?? ''
    return [
      toExplanation(row, option, { page: `${page}#${interfaceName}`, type: toText(type) }),
      ...readLinkedOptions(type, page, option),
    ]
  })
}

function readLinkedOptions(type: string, page: string, option: string) {
  const [, file, name] = /\]\(([^)#]*)#(\w+(?:config|options))\)/.exec(type) ?? []
  if (name === undefined) return []
  const omitted = type.includes('Omit<') ? Array.from(type.matchAll(/"(\w+)"/g)) : []
  const excluded = omitted.map(([, property]) => `${option}.${property}`)
  const linked = file ? posix.join(posix.dirname(page), file) : page
  return readOptions(linked, name, `${option}.`).filter(
    ({ names }) => !names.some((one) => excluded.includes(one)),
  )
}
