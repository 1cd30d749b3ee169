import type { CallExpression, Node, ObjectExpression, ObjectProperty } from '@babel/types'
import { nameOf } from '../code/bound-names.ts'
import { childNodes } from '../code/child-nodes.ts'
import { importStatement } from '../code/import-statement.ts'
import { parseCode } from '../code/parse-code.ts'
import { applyEdits, type Edit, rangeOf } from '../code/text-edits.ts'

// Adds `auth: { signIn }` to the options of the only call of createApi, and the import. Undefined where the options
// cannot be extended by a line: another call, or `auth` is not an object.
export async function insertSignIn(text: string, specifier: string): Promise<string | undefined> {
  const { program } = await parseCode(text)
  const [call, ...others] = findCalls(program)
  const [options] = call?.arguments ?? []
  if (options?.type !== 'ObjectExpression' || others.length > 0) return undefined
  const option = toOption(options)
  if (option === undefined) return undefined
  const last = program.body.findLast(({ type }) => type === 'ImportDeclaration')
  const at = last === undefined ? 0 : rangeOf(last).end
  const code = importStatement('{ signIn }', specifier)
  const added = last === undefined ? `${code}\n` : `\n${code}`
  return applyEdits(text, [{ start: at, end: at, text: added }, option])
}

function findCalls(node: Node): readonly CallExpression[] {
  const own = node.type === 'CallExpression' && nameOf(node.callee) === 'createApi' ? [node] : []
  return [...own, ...childNodes(node).flatMap(([, child]) => findCalls(child))]
}

function toOption(options: ObjectExpression): Edit | undefined {
  // What is spread may have the option, too.
  if (options.properties.some(({ type }) => type === 'SpreadElement')) return undefined
  const auth = findProperty(options, 'auth')
  if (auth === undefined) return addProperty(options, 'auth: { signIn }')
  if (auth.value.type !== 'ObjectExpression') return undefined
  const present = auth.value.properties
  if (present.some(({ type }) => type === 'SpreadElement')) return undefined
  return findProperty(auth.value, 'signIn') === undefined
    ? addProperty(auth.value, 'signIn')
    : undefined
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
