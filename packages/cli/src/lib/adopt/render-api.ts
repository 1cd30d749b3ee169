import { quoted } from '../code/literals.ts'
import { type WantedFile } from '../files/change.ts'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { configFile } from '../project/config.ts'
import { printJson } from '../project/print-json.ts'
import { type Layout } from './choose-layout.ts'
import { type Environment } from './read-environment.ts'
import { type ScryptHashes } from './find-scrypt.ts'
import { type RoleField, type UsersPlan } from './plan-users.ts'
import { type Host } from './read-host.ts'

// The files of the API and its configuration.
export async function renderApi(
  host: Host,
  layout: Layout,
  environment: Environment,
  users: UsersPlan | undefined,
): Promise<readonly WantedFile[]> {
  const { extension, folder, mount } = layout
  const data = toData(host, layout, { environment, users })
  const { formatCode } = await import('../code/prettier.ts')
  const render = async (name: string): Promise<string> =>
    formatCode(await renderTemplate(loadTemplate(name), data))
  return [
    { kind: 'write', path: mount, text: await render('adopt/mount.hbs') },
    ...(mount.endsWith('.cjs')
      ? [
          {
            kind: 'write',
            path: `${folder}/mount.d.cts`,
            text: await render('adopt/types.hbs'),
          } as const,
        ]
      : []),
    { kind: 'write', path: `${folder}/app${extension}`, text: await render('adopt/app.hbs') },
    {
      kind: 'write',
      path: `${folder}/routes${extension}`,
      text: await render('project/src/routes.ts'),
    },
    ...(users === undefined
      ? []
      : [
          {
            kind: 'write',
            path: `${folder}/users${extension}`,
            text: await render('adopt/users.hbs'),
          } as const,
        ]),
    { kind: 'write', path: configFile, text: toConfig(layout) },
  ]
}

interface Found {
  readonly environment: Environment
  readonly users: UsersPlan | undefined
}

function toData(
  { manifest, outdated }: Host,
  layout: Layout,
  { environment, users }: Found,
): object {
  const { importExtension, language, mount } = layout
  const toVariable = (name: string): string =>
    language === 'typescript' ? `process.env[${quoted(name)}]` : `process.env.${name}`
  const hasOwnConnection = outdated.some(({ name }) => name === 'mongoose')
  return {
    ...emptyUsers,
    ...(users && toUsersData(users, toVariable)),
    name: (manifest.name ?? 'api').replace(/^@[^/]*\//, '').replaceAll(/[^\w .-]/g, ''),
    typescript: language === 'typescript',
    typescriptTokens: language === 'typescript' && users?.tokens !== undefined,
    commonJs: mount.endsWith('.cjs'),
    importExtension,
    ownConnection: hasOwnConnection ? toVariable(environment.database) : undefined,
    ownConnectionName: environment.database,
    databaseVariable:
      hasOwnConnection || environment.database === 'MONGODB_URI'
        ? undefined
        : toVariable(environment.database),
    secretVariable:
      environment.secret === 'JWT_SECRET' ? undefined : toVariable(environment.secret),
    secretName: environment.secret,
    modeVariable: toVariable('NODE_ENV'),
  }
}

const emptyUsers = {
  users: false,
  tokens: undefined,
  hashes: false,
  required: undefined,
  closed: '',
}

function toUsersData(users: UsersPlan, toVariable: (name: string) => string): object {
  const { created, email, model, password, required, salt, tokens } = users
  return {
    users: true,
    names: listNames(users),
    source: `${model.model} in ${model.file}`,
    collection: quoted(model.collection),
    email: email.name,
    unique: email.unique,
    lowercase: email.lowercase || model.plugin?.['usernameLowerCase'] === true,
    password,
    salt,
    created,
    timestamps: model.timestamps,
    verified: users.verified,
    ...toDisabledData(users),
    ...toRoleData(users),
    ...toHashData(users),
    required: required.length > 0 ? required : undefined,
    closed: users.unsupported.join(' and '),
    tokens: tokens && { claim: tokens.claim, variable: toVariable(tokens.variable) },
  }
}

function toDisabledData({ disabled }: UsersPlan): object {
  return {
    hasDisabled: disabled !== undefined,
    disabled: disabled?.inverted === false ? disabled.name : undefined,
    disabledOn: disabled?.inverted === true ? disabled.name : undefined,
  }
}

function toRoleData({ role }: UsersPlan): object {
  const nameOf = (kind: RoleField['kind']): string | undefined =>
    role?.kind === kind ? role.name : undefined
  return {
    hasRole: role !== undefined,
    roleOne: nameOf('one'),
    roleMany: nameOf('many'),
    roleFlag: nameOf('flag'),
    roleUsual: role?.usual,
  }
}

function toHashData({ hashes }: UsersPlan): object {
  return {
    hashes: hashes.kind !== 'argon2',
    bcrypt: hashes.kind === 'bcrypt' ? hashes : undefined,
    pbkdf2: hashes.kind === 'pbkdf2' ? hashes : undefined,
    scrypt: hashes.kind === 'scrypt' ? toScryptData(hashes) : undefined,
    unknownHashes: hashes.kind === 'unknown',
  }
}

const characters = { hex: '[0-9a-f]+', base64: '[A-Za-z0-9+/]+=*' }

function toScryptData(hashes: ScryptHashes): object {
  const { encoding, saltFirst, saltIsBytes, separator } = hashes
  const names = saltFirst ? ['salt', 'key'] : ['key', 'salt']
  const key = 'await toKey(password, salt)'
  const parts = saltFirst ? ['salt', key] : [key, 'salt']
  const part = characters[encoding]
  return {
    ...hashes,
    pattern: new RegExp(`^${part}[${separator}]${part}$`).source,
    names: names.map((name) => `${name} = ''`).join(', '),
    separator: quoted(separator),
    text: `\`${parts.map((it) => `\${${it}}`).join(separator)}\``,
    salt: saltIsBytes ? `Buffer.from(salt, ${quoted(encoding)})` : 'salt',
  }
}

function listNames(users: UsersPlan): readonly string[] {
  const { created, disabled, email, password, required, role, salt, verified } = users
  const names = [email.name, password, salt, role?.name, verified, disabled?.name, created]
  return [...names, ...required.map(({ name }) => name)].filter((name) => name !== undefined)
}

function toConfig({ extension, folder, importExtension, language }: Layout): string {
  return printJson({
    $schema: './node_modules/create-api/schema.json',
    language,
    srcDir: folder,
    resourcesDir: `${folder}/resources`,
    registry: `${folder}/routes${extension}`,
    templates: `${folder}/templates`,
    ...(language === 'typescript' && { importExtension }),
  })
}
