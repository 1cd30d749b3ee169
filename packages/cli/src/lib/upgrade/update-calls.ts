import type { CallExpression, ImportSpecifier, Node } from '@babel/types'
import { childNodes } from '../code/child-nodes.ts'
import { parseCode } from '../code/parse-code.ts'
import { applyEdits, type Edit, rangeOf, textOf } from '../code/text-edits.ts'

// Functions for documents took their arguments in another order, or had another name, before their options had one
// form. What a template wrote is merged; this changes the calls that a person wrote.

const resourceModule = '@create-api/core/resource'

interface Verb {
  readonly name: string
  /** The arguments of the call today; undefined if it has them already. */
  readonly toArguments: (given: readonly string[]) => readonly string[] | undefined
}

const verbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  [
    'createInScope',
    {
      name: 'createDocument',
      toArguments: ([model = '', scope = '', input = '']) => [
        model,
        input,
        toOption('scope', scope),
      ],
    },
  ],
  ['softDeleteDocument', { name: 'deleteDocument', toArguments: () => undefined }],
  [
    'restoreDocument',
    {
      name: 'restoreDocument',
      toArguments: (given) => (given.length === 2 ? [...given, '{ scope: {} }'] : undefined),
    },
  ],
  [
    'findPage',
    {
      name: 'findPage',
      toArguments: ([model = '', scope = '', query = '']) =>
        /query$/i.test(query) ? [model, query, toOption('scope', scope)] : undefined,
    },
  ],
  [
    'requireReferences',
    {
      name: 'requireReferences',
      toArguments: ([model = '', input = '', references = '']) =>
        /\breferences$/.test(references)
          ? [model, input, toOption('references', references)]
          : undefined,
    },
  ],
])

function toOption(name: string, value: string): string {
  return name === value ? `{ ${name} }` : `{ ${name}: ${value} }`
}

// Text that does not parse, such as one with conflicts, stays as it is.
export async function updateCalls(text: string): Promise<string> {
  if (!text.includes(resourceModule)) return text
  try {
    const { program } = await parseCode(text)
    const imported = program.body
      .flatMap((node) => (node.type === 'ImportDeclaration' ? [node] : []))
      .filter(({ source }) => source.value === resourceModule)
      .flatMap(({ specifiers }) => specifiers.filter(isPlainImport))
    const names = new Set(imported.map(({ local }) => local.name))
    const edits = imported.flatMap(renameImport)
    visit(program, (node) => {
      const found = node.type === 'CallExpression' ? updateCall(node, names, text) : []
      edits.push(...found)
      return found.length === 0
    })
    return applyEdits(text, edits)
  } catch {
    return text
  }
}

// Imported under its own name.
function isPlainImport(node: Node): node is ImportSpecifier {
  return (
    node.type === 'ImportSpecifier' &&
    node.imported.type === 'Identifier' &&
    node.imported.name === node.local.name
  )
}

function renameImport({ local }: ImportSpecifier): Edit[] {
  const name = verbs.get(local.name)?.name
  return name === undefined || name === local.name ? [] : [toEdit(local, name)]
}

function updateCall(call: CallExpression, names: ReadonlySet<string>, text: string): Edit[] {
  const { arguments: given, callee } = call
  const verb =
    callee.type === 'Identifier' && names.has(callee.name) ? verbs.get(callee.name) : undefined
  const first = given.at(0)
  const last = given.at(-1)
  if (!verb || !first || !last) return []
  const wanted = verb.toArguments(given.map((argument) => textOf(text, argument)))
  return [
    ...(textOf(text, callee) === verb.name ? [] : [toEdit(callee, verb.name)]),
    ...(wanted ? [{ ...toEdit(last, wanted.join(', ')), start: rangeOf(first).start }] : []),
  ]
}

function toEdit(node: Node, text: string): Edit {
  return { ...rangeOf(node), text }
}

// Descends where `see` returns true.
function visit(node: Node, see: (node: Node) => boolean): void {
  if (!see(node)) return
  for (const [, child] of childNodes(node)) visit(child, see)
}
