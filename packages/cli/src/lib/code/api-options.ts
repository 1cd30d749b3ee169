import type {
  CallExpression,
  ImportDeclaration,
  Node,
  ObjectExpression,
  ObjectProperty,
  Program,
} from '@babel/types'
import { declaredNames, nameOf } from './bound-names.ts'
import { childNodes } from './child-nodes.ts'
import { importStatement } from './import-statement.ts'
import { parseCode } from './parse-code.ts'
import { applyEdits, type Edit, type Range, rangeOf, textOf, wholeLines } from './text-edits.ts'

// An option of createApi, or a member of one.
export interface ApiOption {
  readonly name: string
  readonly member?: string | undefined
  /** Its code. */
  readonly value: string
  /** The names in the code, with the modules that export them. */
  readonly imports: Readonly<Record<string, string>>
}

// Adds an option to the only call of createApi, and its imports. Undefined where that cannot be done by a line: another
// call, options that are not an object literal, an option that is there, or a name that means something else.
export async function insertOption(text: string, option: ApiOption): Promise<string | undefined> {
  const { program } = await parseCode(text)
  const options = findOptions(program)
  const edit = options && toInsertion(options, option)
  const imports = toImports(program, option)
  return edit && imports && applyEdits(text, [...imports, edit])
}

// Removes what `insertOption` has added. An option with another value stays, and so does an import that is still used.
export async function removeOption(text: string, option: ApiOption): Promise<string> {
  const { program } = await parseCode(text)
  const options = findOptions(program)
  const found = options && findInserted(text, options, option)
  if (!found) return text
  return removeImports(applyEdits(text, [{ ...withComma(text, found), text: '' }]), option)
}

function findOptions(program: Program): ObjectExpression | undefined {
  const [call, ...others] = findCalls(program)
  const [options] = call?.arguments ?? []
  return options?.type === 'ObjectExpression' && others.length === 0 ? options : undefined
}

function findCalls(node: Node): readonly CallExpression[] {
  const own = node.type === 'CallExpression' && nameOf(node.callee) === 'createApi' ? [node] : []
  return [...own, ...childNodes(node).flatMap(([, child]) => findCalls(child))]
}

function toInsertion(options: ObjectExpression, option: ApiOption): Edit | undefined {
  const { member, name, value } = option
  if (hasSpread(options)) return undefined
  const present = findProperty(options, name)
  if (member === undefined) return present ? undefined : addProperty(options, toCode(name, value))
  const code = toCode(member, value)
  if (present === undefined) return addProperty(options, `${name}: { ${code} }`)
  const object = present.value
  if (object.type !== 'ObjectExpression' || hasSpread(object)) return undefined
  return findProperty(object, member) ? undefined : addProperty(object, code)
}

// What is spread may have the option, too.
function hasSpread({ properties }: ObjectExpression): boolean {
  return properties.some(({ type }) => type === 'SpreadElement')
}

function toCode(name: string, value: string): string {
  return name === value ? name : `${name}: ${value}`
}

function findProperty(object: ObjectExpression, name: string): ObjectProperty | undefined {
  return object.properties.find(
    (property): property is ObjectProperty =>
      property.type === 'ObjectProperty' && nameOf(property.key) === name,
  )
}

function addProperty(object: ObjectExpression, code: string): Edit {
  const last = object.properties.at(-1)
  if (last === undefined) {
    const { end, start } = rangeOf(object)
    return { start, end, text: `{ ${code} }` }
  }
  const { end } = rangeOf(last)
  return { start: end, end, text: `,\n${code}` }
}

function toImports(program: Program, { imports }: ApiOption): readonly Edit[] | undefined {
  const missing = Object.entries(imports).filter(
    ([name, specifier]) => !findImport(program, name, specifier),
  )
  const declared = new Set(
    program.body.flatMap((statement) =>
      declaredNames(
        statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement,
      ),
    ),
  )
  if (missing.some(([name]) => declared.has(name))) return undefined
  return missing.map(([name, specifier]) => {
    const code = importStatement(`{ ${name} }`, specifier)
    const last = program.body.findLast(
      (statement) =>
        statement.type === 'ImportDeclaration' &&
        (specifier.startsWith('.') || !statement.source.value.startsWith('.')),
    )
    const at = last === undefined ? 0 : rangeOf(last).end
    return { start: at, end: at, text: last === undefined ? `${code}\n` : `\n${code}` }
  })
}

function findImport(
  { body }: Program,
  name: string,
  specifier: string,
): ImportDeclaration | undefined {
  return body.find(
    (statement): statement is ImportDeclaration =>
      statement.type === 'ImportDeclaration' &&
      statement.source.value === specifier &&
      statement.specifiers.some(({ local }) => local.name === name),
  )
}

function findInserted(
  text: string,
  options: ObjectExpression,
  { member, name, value }: ApiOption,
): ObjectProperty | undefined {
  const isSame = (property: ObjectProperty): boolean =>
    withoutSpace(textOf(text, property.value)) === withoutSpace(value)
  const present = findProperty(options, name)
  if (!present || member === undefined) return present && isSame(present) ? present : undefined
  if (present.value.type !== 'ObjectExpression') return undefined
  const inner = findProperty(present.value, member)
  if (!inner || !isSame(inner)) return undefined
  return present.value.properties.length === 1 ? present : inner
}

// A formatter breaks lines, and adds a comma then.
function withoutSpace(code: string): string {
  return code.replaceAll(/\s|,(?=\s*[)}\]])/g, '')
}

function withComma(text: string, property: ObjectProperty): Range {
  const { end, start } = rangeOf(property)
  const after = /^\s*,/.exec(text.slice(end))?.[0]
  if (after !== undefined) return wholeLines(text, { start, end: end + after.length })
  const before = /,\s*$/.exec(text.slice(0, start))?.[0] ?? ''
  return { start: start - before.length, end }
}

async function removeImports(text: string, { imports }: ApiOption): Promise<string> {
  const { program } = await parseCode(text)
  const edits = Object.entries(imports).flatMap(([name, specifier]) => {
    const found = findImport(program, name, specifier)
    if (found?.specifiers.length !== 1) return []
    const { end, start } = wholeLines(text, rangeOf(found))
    const rest = text.slice(0, start) + text.slice(end)
    return new RegExp(`\\b${name}\\b`).test(rest.replaceAll(specifier, ''))
      ? []
      : [{ start, end, text: '' }]
  })
  return applyEdits(text, edits)
}
