import { posix } from 'node:path'
import { type ModuleExports, toLocalName } from '../code/add-imports.ts'
import { type ProjectConfig } from '../project/config.ts'
import { isReservedWord } from '../names/reserved.ts'
import { importsOfModel, toModelCode } from './model-import.ts'
import { CliError } from '../errors/cli-error.ts'
import { noAccess, toRulesOf } from './access.ts'
import { toParentReaders } from './resolve-parent.ts'
import { type PartName, type Resource, hasHistory } from './resource.ts'

// Where generated files import from. What a file needs follows from the names in its text.

const coreName = '@create-api/core'

const libraries: ModuleExports = {
  [coreName]: [
    'createRouter',
    'success',
    'withDatabase',
    'type ApiRequest',
    'type ApiResponse',
    'type Scope',
    'type UserRequest',
  ],
  '@create-api/core/resource': [
    'createDocument',
    'createSerializer',
    'decimal',
    'defineListQuery',
    'deleteDocument',
    'emailAddress',
    'findDocument',
    'findPage',
    'idParams as params',
    'inScope',
    'instant',
    'integerId',
    'listMeta',
    'objectId',
    'parseIfMatch',
    'patchDocument',
    'replaceDocument',
    'restoreDocument',
    'setCreated',
    'softDelete',
    'toOutputSchema',
    'toPatchSchema',
    'versioned',
    'webUrl',
    'type ChangeOptions',
    'type CreateOptions',
    'type DeleteOptions',
    'type IdParams',
    'type Page',
    'type ReadOptions',
    'type Stored',
    'type StoredDocument',
  ],
  '@create-api/core/exports': ['sendList'],
  '@create-api/core/audit': ['auditChanges'],
  '@create-api/jobs/events': ['emitChanges'],
  '@create-api/core/testing': [
    'createTestClient',
    'findAccessFaults',
    'type TestCaller',
    'type TestClient',
  ],
  mongoose: ['model', 'Schema', 'Types'],
  vitest: ['afterAll', 'beforeAll', 'describe', 'expect', 'it'],
  zod: ['z'],
}

const routeMethods = ['del', 'get', 'patch', 'post', 'put']

type RouteFeatures = Pick<Resource, 'actions' | 'audit' | 'bulk' | 'exported' | 'tenant'>

// What only routes import from the framework.
function toRouteNames(resource: RouteFeatures): readonly string[] {
  return Object.values(toRouteExports(resource)).flat()
}

function toRouteExports(resource: RouteFeatures): ModuleExports {
  const { bulk, exported, tenant } = resource
  const isAudited = hasHistory(resource)
  return {
    [coreName]: [...(tenant === undefined ? [] : ['all']), 'any', ...routeMethods],
    ...(tenant !== undefined && {
      '@create-api/core/tenants': ['member', ...(isAudited ? ['memberRole'] : [])],
    }),
    ...(exported && { '@create-api/core/exports': ['csv', 'ndjson'] }),
    ...(bulk && { '@create-api/core/bulk': ['withBulk'] }),
    ...(isAudited && { '@create-api/core/audit': ['withAudit'] }),
  }
}

// The schema of a resource in its routes: `post` is the function that defines a POST route.
export function toSchemaName(resource: Resource): string {
  const { one } = resource.names
  return toRouteNames(resource).includes(one) ? `${one}Schema` : one
}

// The type of the parameters that a list has in its path, which is another one than that of a document, also for `news`.
export function toListParams({ names: { many } }: Resource): string {
  return `${many.charAt(0).toUpperCase()}${many.slice(1)}Params`
}

const coreTypes = [
  'ApiRequest',
  'ApiResponse',
  'ChangeOptions',
  'CreateOptions',
  'DeleteOptions',
  'IdParams',
  'Page',
  'ReadOptions',
  'Scope',
  'Stored',
  'StoredDocument',
  'TestCaller',
  'TestClient',
  'UserRequest',
] as const

// The framework's types as generated code calls them: a resource may have a model of the same name.
export function toCoreTypes(model: string): Readonly<Record<(typeof coreTypes)[number], string>> {
  const entries = coreTypes.map((name) => [name, name === model ? `Core${name}` : name])
  return Object.fromEntries(entries)
}

// What a file of a resource can import.
export function importsOf(
  resource: Resource,
  part: PartName,
  config: ProjectConfig,
): ModuleExports {
  const { many, model, one, plural } = resource.names
  const { importExtension, resourcesDir, srcDir } = config
  const { parent } = resource
  const rules = listRules(resource)
  const sibling = (name: PartName): string => `./${plural}.${name}${importExtension}`
  const folder = posix.join(resourcesDir, plural)
  const existing = resource.existing?.description
  const modelFile = importsOfModel({ plural, name: `${model}Model`, existing }, folder, config)
  const modelCode = existing && toModelCode(existing, { folder, one }, config)
  const validationNames = listValidationNames(resource)
  const validationFile = { [sibling('validation')]: validationNames }
  const schema = toSchemaName(resource)
  const renamed = {
    [sibling('validation')]: [
      ...(schema === one ? [] : [`${one} as ${schema}`]),
      ...validationNames,
    ],
  }
  const parentFile =
    parent &&
    importsOfModel(
      { ...parent, name: `${parent.model}Model`, existing: parent.existing },
      folder,
      config,
    )
  const toSource = (name: string): string =>
    `${posix.relative(posix.join(resourcesDir, plural), posix.join(srcDir, name))}${importExtension}`
  const siblings: Readonly<Record<PartName, ModuleExports>> = {
    model: {},
    validation: {},
    service: {
      ...parentFile,
      ...(modelCode ? modelCode.imports : modelFile),
      ...validationFile,
    },
    controller: { [sibling('service')]: ['* as service'], ...validationFile },
    routes: {
      [sibling('controller')]: [`* as ${many}`],
      ...(rules.length > 0 && { [toSource('access')]: rules }),
      ...modelFile,
      ...renamed,
    },
    test: { [toSource('app')]: ['api'], ...modelFile, ...validationFile },
    mount: {},
  }
  return {
    ...toLibraries(model, toOwnLibraries(resource, part)),
    ...siblings[part],
  }
}

function listValidationNames(resource: Resource): readonly string[] {
  const { many, model, models, one } = resource.names
  return [
    one,
    `create${model}`,
    `replace${model}`,
    `patch${model}`,
    `list${models}`,
    `${one}Params`,
    `${many}Params`,
    ...['Create', 'Replace', 'Patch'].map((action) => `type ${action}${model}`),
    `type ${model}Output`,
    `type List${models}`,
    `type ${model}Params`,
    `type ${toListParams(resource)}`,
  ]
}

// What only one part of a resource imports.
function toOwnLibraries(resource: Resource, part: PartName): ModuleExports {
  if (part === 'routes') return toRouteExports(resource)
  // Elsewhere, `live` may be the schema of a resource.
  if (part === 'controller' && resource.live) return { '@create-api/core/live': ['live'] }
  if (part === 'service' && resource.existing?.description.export.is === 'function') {
    return { mongoose: [...(libraries['mongoose'] ?? []), 'default as mongoose'] }
  }
  const isFirst = part === (resource.existing ? 'service' : 'model')
  return isFirst && resource.bulk ? { mongoose: [...(libraries['mongoose'] ?? []), 'set'] } : {}
}

function listRules(resource: Resource): readonly string[] {
  const { access, readers } = resource
  return toRulesOf([
    ...Object.values({ ...access.of, ...readers }).flat(),
    ...(toParentReaders(resource) ?? []),
  ])
}

// A rule of the application is imported by its name, so the routes must not have another meaning for it.
export function requireOwnRules(resource: Resource, config: ProjectConfig): void {
  const withoutRules = importsOf(
    { ...resource, access: { ...resource.access, of: noAccess }, readers: {}, parent: undefined },
    'routes',
    config,
  )
  const taken = new Set(Object.values(withoutRules).flat().map(toLocalName)).add(
    resource.names.router,
  )
  const name = listRules(resource).find((rule) => taken.has(rule) || isReservedWord(rule))
  if (name === undefined) return
  const reason = isReservedWord(name)
    ? `"${name}" is a reserved word of JavaScript`
    : `the generated routes use "${name}" themselves`
  throw new CliError('USAGE', `--access ${resource.access.text}: ${reason}`, {
    hint: 'give the rule another name',
  })
}

const migrationNames = ['buildIndex', 'defineMigration', 'dropIndex', 'updateInBatches']

export const importsOfEmptyMigration: ModuleExports = {
  '@create-api/core/migrations': migrationNames,
}

// What a migration of a resource can import.
export function importsOfMigration(
  { names: { model, plural } }: Resource,
  folder: string,
  { importExtension, resourcesDir, srcDir }: ProjectConfig,
): ModuleExports {
  const modelFile = posix.join(resourcesDir, plural, `${plural}.model${importExtension}`)
  return {
    ...toLibraries(model, importsOfEmptyMigration),
    [posix.relative(folder, posix.join(srcDir, `app${importExtension}`))]: ['api'],
    [posix.relative(folder, modelFile)]: [`${model}Model`],
  }
}

function toLibraries(model: string, more: ModuleExports): ModuleExports {
  const all = {
    ...libraries,
    ...more,
    [coreName]: [...(libraries[coreName] ?? []), ...(more[coreName] ?? [])],
  }
  return Object.fromEntries(
    Object.entries(all).map(([specifier, exports]) => [
      specifier,
      exports.map((name) => (name === `type ${model}` ? `${name} as Core${model}` : name)),
    ]),
  )
}
