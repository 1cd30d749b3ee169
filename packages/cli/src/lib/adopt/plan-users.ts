import { type SourceFile } from './source-files.ts'
import {
  emailName,
  findUsers,
  isPasswordField,
  type PluginOptions,
  type UserField,
  type UsersModel,
} from './find-users.ts'
import { findScrypt, type ScryptHashes } from './find-scrypt.ts'
import { type Host } from './read-host.ts'
import { findTokens, type Tokens } from './find-tokens.ts'

// How authentication uses the users of the application.
export interface UsersPlan {
  readonly model: UsersModel
  readonly email: UserField
  /** Field with the hash, and the one with its salt. */
  readonly password: string
  readonly salt: string | undefined
  readonly hashes: Hashes
  readonly role: RoleField | undefined
  readonly verified: string | undefined
  readonly disabled: { readonly name: string; readonly inverted: boolean } | undefined
  readonly created: string | undefined
  /** Further fields that a registration needs. */
  readonly required: readonly OwnField[]
  /** Fields that it needs, and that cannot be asked for. */
  readonly unsupported: readonly string[]
  readonly tokens: Tokens | undefined
}

export type Hashes =
  | { readonly kind: 'bcrypt'; readonly package: string; readonly rounds: number }
  | {
      readonly kind: 'pbkdf2'
      readonly iterations: number
      readonly length: number
      readonly digest: string
      readonly encoding: string
      readonly saltLength: number
    }
  | ScryptHashes
  | { readonly kind: 'argon2' | 'unknown' }

export interface RoleField {
  readonly kind: 'one' | 'many' | 'flag'
  readonly name: string
  /** Source of the role of an ordinary user. */
  readonly usual: string
}

interface OwnField {
  readonly name: string
  readonly schema: string
  readonly type: string
}

export interface UsersChoice {
  readonly plan: UsersPlan | undefined
  /** Why the users of a model cannot be used. */
  readonly problem: string | undefined
}

export async function planUsers(
  host: Host,
  sources: readonly SourceFile[],
  wanted: boolean,
): Promise<UsersChoice> {
  const [model] = wanted ? await findUsers(sources) : []
  if (model === undefined) return { plan: undefined, problem: undefined }
  const email = findEmail(model)
  const place = `${model.model} in ${model.file}:${model.line}`
  if (email === undefined) {
    return { plan: undefined, problem: `${place} has no e-mail address, with which users log in` }
  }
  return {
    problem: undefined,
    plan: { ...readModel(model, email), ...(await readSource(host, sources, model)) },
  }
}

type ReadModel = Omit<UsersPlan, 'hashes' | 'tokens'>

function readModel(model: UsersModel, email: UserField): ReadModel {
  const { plugin } = model
  const password = plugin
    ? String(plugin['hashField'] ?? 'hash')
    : (model.fields.find(isPasswordField)?.name ?? '')
  const salt = plugin ? String(plugin['saltField'] ?? 'salt') : undefined
  const fields = model.fields.filter(({ name }) => ![email.name, password, salt].includes(name))
  const role = findRole(fields)
  const verified = findFlag(fields, /^(is_?)?(e_?mail_?)?(verified|confirmed)$/i)?.name
  const disabled = findDisabled(fields)
  const known = [role?.name, verified, disabled?.name]
  const others = fields.filter(({ name, required }) => required && !known.includes(name))
  const required = others.flatMap(toOwnField)
  return {
    model,
    email,
    password,
    salt,
    role,
    verified,
    disabled,
    created: model.timestamps ? 'createdAt' : findCreated(fields),
    required,
    unsupported: others
      .map(({ name }) => name)
      .filter((name) => !required.some((own) => own.name === name)),
  }
}

async function readSource(
  host: Host,
  sources: readonly SourceFile[],
  { plugin }: UsersModel,
): Promise<Pick<UsersPlan, 'hashes' | 'tokens'>> {
  return {
    hashes: plugin ? toPluginHashes(plugin) : findHashes(host, sources),
    tokens: await findTokens(host, sources),
  }
}

// The plugin adds the field for the name of the user where the schema has none.
function findEmail({ fields, plugin }: UsersModel): UserField | undefined {
  const own = fields.find(({ name, type }) => type === 'String' && emailName.test(name))
  const added = String(plugin?.['usernameField'] ?? '')
  if (own !== undefined || !emailName.test(added)) return own
  return {
    name: added,
    type: 'String',
    required: false,
    unique: plugin?.['usernameUnique'] !== false,
    lowercase: plugin?.['usernameLowerCase'] === true,
    fallback: undefined,
  }
}

function findRole(fields: readonly UserField[]): RoleField | undefined {
  const field = fields.find(({ name }) => /^(roles?|is_?admin|admin|user_?type)$/i.test(name))
  if (field === undefined) return undefined
  const { fallback = "'user'", name, type } = field
  if (type === 'Boolean') return { kind: 'flag', name, usual: 'false' }
  if (type.startsWith('[')) return { kind: 'many', name, usual: '' }
  const isLiteral = /^(["']).*\1$/.test(fallback)
  return type === 'String'
    ? { kind: 'one', name, usual: isLiteral ? fallback : "'user'" }
    : undefined
}

function findFlag(fields: readonly UserField[], name: RegExp): UserField | undefined {
  return fields.find((field) => field.type === 'Boolean' && name.test(field.name))
}

function findDisabled(fields: readonly UserField[]): UsersPlan['disabled'] {
  const off = findFlag(fields, /^(is_?)?(disabled|blocked|banned|suspended|locked)$/i)
  if (off !== undefined) return { name: off.name, inverted: false }
  const on = findFlag(fields, /^(is_?)?(active|enabled)$/i)
  return on === undefined ? undefined : { name: on.name, inverted: true }
}

function findCreated(fields: readonly UserField[]): string | undefined {
  return fields.find(
    ({ fallback = '', type }) => type === 'Date' && fallback.startsWith('Date.now'),
  )?.name
}

const schemas: ReadonlyMap<string, string> = new Map([
  ['String', 'z.string().min(1).max(200)'],
  ['Number', 'z.number()'],
  ['Boolean', 'z.boolean()'],
])

function toOwnField({ name, type }: UserField): readonly OwnField[] {
  const schema = schemas.get(type)
  return schema === undefined || !/^[A-Za-z_]\w*$/.test(name) ? [] : [{ name, schema, type }]
}

// Its defaults, and the options that differ from them.
function toPluginHashes(options: PluginOptions): Hashes {
  return {
    kind: 'pbkdf2',
    iterations: Number(options['iterations'] ?? 25_000),
    length: Number(options['keylen'] ?? 512),
    digest: String(options['digestAlgorithm'] ?? 'sha256'),
    encoding: String(options['encoding'] ?? 'hex'),
    saltLength: Number(options['saltlen'] ?? 32),
  }
}

function findHashes({ manifest }: Host, sources: readonly SourceFile[]): Hashes {
  const packages = Object.keys(manifest.dependencies ?? {})
  const bcrypt = ['bcrypt', 'bcryptjs', '@node-rs/bcrypt'].find((name) => packages.includes(name))
  if (bcrypt !== undefined) {
    const text = sources.map((source) => source.text).join('\n')
    const rounds = /\b(?:hash(?:Sync)?\([^()]*,|genSalt(?:Sync)?\()\s*(\d+)/.exec(text)?.[1]
    return { kind: 'bcrypt', package: bcrypt, rounds: Number(rounds ?? 10) }
  }
  if (packages.some((name) => name.endsWith('argon2'))) return { kind: 'argon2' }
  return findScrypt(sources) ?? { kind: 'unknown' }
}

// Packages of the application that the file of the users imports.
export function listUserPackages({ plan }: UsersChoice): readonly string[] {
  return [
    ...(plan?.hashes.kind === 'bcrypt' ? [plan.hashes.package] : []),
    ...(plan?.tokens === undefined ? [] : ['jsonwebtoken']),
  ]
}
