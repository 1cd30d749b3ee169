import type {
  CallExpression,
  Expression,
  File,
  NewExpression,
  Node,
  ObjectExpression,
} from '@babel/types'
import { nameOf } from '../code/bound-names.ts'
import { childNodes } from '../code/child-nodes.ts'
import { parseCode } from '../code/parse-code.ts'
import { textOf } from '../code/text-edits.ts'
import { inflect } from '../names/inflect.ts'
import { type SourceFile } from './source-files.ts'

// The model of the users of an application, as far as its source shows it.
export interface UsersModel {
  readonly file: string
  readonly line: number
  readonly model: string
  readonly collection: string
  readonly fields: readonly UserField[]
  readonly timestamps: boolean
  /** Of `passport-local-mongoose`, which adds fields itself. */
  readonly plugin: PluginOptions | undefined
}

export interface UserField {
  readonly name: string
  /** `String`, `Boolean`, `[String]`, … */
  readonly type: string
  readonly required: boolean
  readonly unique: boolean
  readonly lowercase: boolean
  /** Source of the default. */
  readonly fallback: string | undefined
}

/** Literals of the options, by name. */
export type PluginOptions = Readonly<Record<string, string | number | boolean>>

const passwordName =
  /^(password|passwd|pwd|hash|hashed_?password|password_?hash|encrypted_?password)$/i
export const emailName = /^(e_?mail|mail|email_?address)$/i
const pluginName = /passport-?local-?mongoose/i

export const isPasswordField = ({ name, type }: UserField): boolean =>
  type === 'String' && passwordName.test(name)

// Models with a password. One that is called like users comes first.
export async function findUsers(sources: readonly SourceFile[]): Promise<readonly UsersModel[]> {
  const found = await Promise.all(
    sources.filter(({ text }) => text.includes('mongoose')).map(findInFile),
  )
  const usual = /^(User|Account|Member|Customer)s?$/i
  return found.flat().toSorted((a, b) => Number(usual.test(b.model)) - Number(usual.test(a.model)))
}

async function findInFile(source: SourceFile): Promise<readonly UsersModel[]> {
  const file = await parse(source)
  if (file === undefined) return []
  const nodes = listNodes(file.program)
  const models = nodes.flatMap((node) => toModel(nodes, node) ?? [])
  return models.flatMap(({ collection, model, schema, variable }) => {
    const [definition, options] = schema.arguments
    if (definition?.type !== 'ObjectExpression') return []
    const fields = readFields(source.text, definition)
    const plugin = nodes.map((node) => readPlugin(source.text, node, variable)).find(Boolean)
    if (plugin === undefined && !fields.some(isPasswordField)) return []
    const settings = options?.type === 'ObjectExpression' ? toMembers(options) : new Map()
    const named = collection ?? toText(settings.get('collection'))
    return [
      {
        file: source.path,
        line: schema.loc?.start.line ?? 1,
        model,
        collection:
          named ?? inflect(model.toLowerCase(), { irregular: {}, uncountable: [] }).plural,
        fields,
        timestamps: settings.has('timestamps'),
        plugin,
      },
    ]
  })
}

async function parse({ text }: SourceFile): Promise<File | undefined> {
  try {
    return await parseCode(text)
  } catch {
    // Only the file of the app has to parse.
    return undefined
  }
}

function listNodes(node: Node): readonly Node[] {
  return [node, ...childNodes(node).flatMap(([, child]) => listNodes(child))]
}

type SchemaCall = NewExpression | CallExpression

interface FoundModel {
  readonly model: string
  readonly collection: string | undefined
  readonly schema: SchemaCall
  readonly variable: string | undefined
}

// `model('User', userSchema, 'people')`, with the schema in place or in a variable.
function toModel(nodes: readonly Node[], node: Node): FoundModel | undefined {
  if (node.type !== 'CallExpression' || calledName(node) !== 'model') return undefined
  const [name, schema, collection] = node.arguments
  if (name?.type !== 'StringLiteral' || schema === undefined) return undefined
  const variable = schema.type === 'Identifier' ? schema.name : undefined
  const value = variable === undefined ? schema : findValue(nodes, variable)
  if (!isSchema(value)) return undefined
  return { model: name.value, collection: toText(collection), schema: value, variable }
}

function findValue(nodes: readonly Node[], name: string): Node | null | undefined {
  const declarator = nodes.find(
    (node) => node.type === 'VariableDeclarator' && nameOf(node.id) === name,
  )
  return declarator?.type === 'VariableDeclarator' ? declarator.init : undefined
}

function isSchema(node: Node | null | undefined): node is SchemaCall {
  if (node?.type !== 'NewExpression' && node?.type !== 'CallExpression') return false
  return calledName(node) === 'Schema'
}

function calledName({ callee }: SchemaCall): string {
  return callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)
}

function readFields(text: string, definition: ObjectExpression): readonly UserField[] {
  const members = [...toMembers(definition)].filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
  return members.map(([name, value]) => {
    const options =
      value.type === 'ObjectExpression' ? toMembers(value) : new Map<string, Expression>()
    const type = options.get('type') ?? value
    const has = (option: string): boolean => {
      const node = options.get(option)
      return node !== undefined && textOf(text, node) !== 'false'
    }
    const fallback = options.get('default')
    return {
      name,
      type: textOf(text, type).replace(/\s|["']|(\w+\.)+/g, ''),
      required: has('required') && fallback === undefined,
      unique: has('unique'),
      lowercase: has('lowercase'),
      fallback: fallback === undefined ? undefined : textOf(text, fallback),
    }
  })
}

function toMembers({ properties }: ObjectExpression): ReadonlyMap<string, Expression> {
  return new Map(
    properties.flatMap((property) => {
      if (property.type !== 'ObjectProperty' || property.computed) return []
      const { value } = property
      const isPattern = value.type.endsWith('Pattern') || value.type === 'RestElement'
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of an expression are expressions
      return isPattern ? [] : [[nameOf(property.key), value as Expression] as const]
    }),
  )
}

function toText(node: Node | undefined): string | undefined {
  return node?.type === 'StringLiteral' ? node.value : undefined
}

// `schema.plugin(passportLocalMongoose, { usernameField: 'email' })`
function readPlugin(
  text: string,
  node: Node,
  schema: string | undefined,
): PluginOptions | undefined {
  if (node.type !== 'CallExpression' || calledName(node) !== 'plugin') return undefined
  const [plugin, options] = node.arguments
  if (plugin === undefined || !pluginName.test(textOf(text, plugin))) return undefined
  const { callee } = node
  if (callee.type !== 'MemberExpression' || nameOf(callee.object) !== schema) return undefined
  if (options?.type !== 'ObjectExpression') return {}
  return Object.fromEntries(
    [...toMembers(options)].flatMap(([name, value]) =>
      value.type === 'StringLiteral' ||
      value.type === 'NumericLiteral' ||
      value.type === 'BooleanLiteral'
        ? [[name, value.value] as const]
        : [],
    ),
  )
}
