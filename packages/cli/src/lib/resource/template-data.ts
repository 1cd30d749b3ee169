import { posix } from 'node:path'
import { type Code, atom, list, object, print, text } from '../code/code.ts'
import { importCode, pickNames } from '../code/function-head.ts'
import { keepsEmptyObjects, toMongooseCode } from '../code/mongoose-code.ts'
import { toZodCode } from '../code/zod-code.ts'
import { type Field } from '../fields/field.ts'
import { pascal } from '../names/resource-names.ts'
import { type ProjectConfig } from '../project/config.ts'
import { controllerData } from './controller-data.ts'
import { type ActionName, actions, type Resource } from './resource.ts'
import { sortable, toIndexes } from './list-fields.ts'
import { toKeyData, toParamsData, toParentData, toScope } from './scope-data.ts'
import { checksReferences, requiresParent, serviceData } from './service-data.ts'
import { testData } from './test-data.ts'

/** Names as the templates use them. */
export interface TemplateNames {
  readonly model: string
  readonly one: string
  readonly many: string
  readonly plural: string
  readonly router: string
  /** `Posts`. */
  readonly Many: string
  /** `a post`. */
  readonly aOne: string
  /** `post`, in words. */
  readonly words: string
  /** `posts`, in words. */
  readonly wordsOfMany: string
  /** Variable for one document inside the service. */
  readonly local: string
}

/** Which actions a resource has; `one` is true when any of them takes an id. */
export type Can = Readonly<Record<ActionName | 'one', boolean>>

/**
 * Computes everything the resource templates may print. Templates decide nothing themselves.
 *
 * @param resource the resource
 * @param config the project's settings
 * @returns plain data
 */
export function toTemplateData(resource: Resource, config: ProjectConfig): object {
  const names = toTemplateNames(resource)
  const can = toCan(resource)
  const scope = toScope(resource)
  const extension = config.importExtension
  const base = { resource, names, can, extension }
  const test = testData(base)
  const { imports: controllerImports, heads: controllerHeads } = controllerData(base)
  const { imports: serviceImports, heads: serviceHeads } = serviceData(base)
  return {
    names,
    can,
    extension,
    owned: resource.access === 'owner',
    scope,
    key: toKeyData(resource, names.local),
    params: toParamsData(resource, names),
    parent: toParentData(resource, extension) ?? false,
    requiresParent: requiresParent(resource, can),
    guarded: resource.access !== 'public',
    access: resource.access,
    path: resource.path,
    appModule: toAppModule(resource, config),
    fields: resource.fields.map((field) => toFieldData(field)),
    duplicates: resource.fields.some(({ unique }) => unique),
    checksReferences: checksReferences(resource),
    ...modelData(resource, names),
    ...validationData(resource, names),
    imports: {
      ...test.imports,
      validationCore: validationImport(resource),
      ...routesImports(resource, names, extension),
      ...controllerImports,
      ...serviceImports,
    },
    heads: { ...controllerHeads, ...serviceHeads },
    ...test.data,
  }
}

/** What the parts of the template data are computed from. */
export interface DataSource {
  readonly resource: Resource
  readonly names: TemplateNames
  readonly can: Can
  readonly extension: string
}

// Functions, parameters and constants of the generated service and controller.
// With a longer one the queries of the service would not fit their lines.
const longestLocal = 12
const takenLocals =
  'list get create replace patch remove id key input match query scope changes page'.split(' ')

/**
 * Derives the names that only the templates use.
 *
 * @param resource the resource
 * @returns the names
 */
export function toTemplateNames(resource: Pick<Resource, 'key' | 'names'>): TemplateNames {
  const { key, names } = resource
  const { many, model, one, plural, router } = names
  const words = names.singular.split('-').join(' ')
  return {
    model,
    one,
    many,
    plural,
    router,
    Many: pascal(plural.split('-')),
    aOne: `${article(words)} ${words}`,
    words,
    wordsOfMany: plural.replaceAll('-', ' '),
    local:
      takenLocals.includes(one) || key?.name === one || one.length > longestLocal ? 'found' : one,
  }
}

// By sound as far as letters tell: a user, a unit, an hour.
function article(words: string): string {
  const vowel = /^([aeio]|hour|honest|u(?!n[aeiu]|s[aeiu]|t[aeiou]|r[aeiou]))/
  return vowel.test(words) ? 'an' : 'a'
}

function toCan(resource: Resource): Can {
  const has = (action: ActionName): boolean => resource.actions.includes(action)
  const flags = actions.map((action) => [action, has(action)] as const)
  const one = has('get') || has('replace') || has('update') || has('delete')
  const can: Record<ActionName, boolean> = {
    list: false,
    get: false,
    create: false,
    replace: false,
    update: false,
    delete: false,
  }
  for (const [action, value] of flags) can[action] = value
  return { ...can, one }
}

function toAppModule(resource: Resource, config: ProjectConfig): string {
  const folder = posix.join(config.resourcesDir, resource.names.plural)
  return `${posix.relative(folder, posix.join(config.srcDir, 'app'))}${config.importExtension}`
}

function toFieldData(field: Field): { name: string; zod: string; mongoose: string } {
  const label = `${field.name}: `.length
  return {
    name: field.name,
    zod: print(toZodCode(field), '  ', label + 1),
    mongoose: print(toMongooseCode(field), '    ', label + 1),
  }
}

function modelData(resource: Resource, names: TemplateNames): object {
  const options: [string, Code][] = [['collection', text(resource.names.collection)]]
  if (resource.timestamps) options.push(['timestamps', atom('true')])
  if (keepsEmptyObjects(resource.fields)) options.push(['minimize', atom('false')])
  return {
    scopeFields: toScope(resource).map(({ name, model }) => {
      const entries: [string, Code][] = [
        ['type', atom('Schema.Types.ObjectId')],
        ['ref', text(model)],
        ['required', atom('true')],
        ['immutable', atom('true')],
      ]
      return { name, code: print(object(entries), '    ', `${name}: ,`.length) }
    }),
    schemaOptions: print(object(options), '  ', 1),
    indexes: toIndexes(resource).map((keys) =>
      print(object(keys.map((key) => [key, atom('1')])), '', names.one.length + 15),
    ),
  }
}

function validationData(resource: Resource, names: TemplateNames): object {
  const { filters, sort } = sortable(resource)
  return {
    filters: print(list(filters.map(text)), '  ', 'filters: ,'.length),
    sort: print(list(sort.map(text)), '  ', 'sort: ,'.length),
    serverFields: resource.timestamps ? 'id, createdAt and updatedAt' : 'id',
    outputSchema: resource.timestamps
      ? `toOutputSchema(create${names.model})`
      : `toOutputSchema(create${names.model}).omit({ createdAt: true, updatedAt: true })`,
  }
}

function validationImport({ fields, key, parent }: Resource): string {
  const identified = parent !== undefined || hasKind(fields, ['ref', 'objectid'])
  const core = pickNames([
    [true, 'defineListQuery', 'toOutputSchema', 'toPatchSchema'],
    [key?.type.kind === 'int', 'integerId'],
    [identified, 'objectId'],
    [hasKind(fields, ['date']), 'instant'],
    [hasKind(fields, ['decimal']), 'decimal'],
  ])
  return importCode(core, '@create-api/core')
}

function hasKind(fields: readonly Field[], kinds: readonly string[]): boolean {
  return fields.some(({ type }) =>
    type.kind === 'shape' ? hasKind(type.fields, kinds) : kinds.includes(type.kind),
  )
}

function routesImports(resource: Resource, names: TemplateNames, extension: string): object {
  const can = toCan(resource)
  const { model, one, plural, Many } = names
  const params = toParamsData(resource, names)
  const read = can.list || can.get || can.create || can.replace || can.update
  const core = pickNames([
    [true, 'createRouter', 'defineRoute'],
    [can.one && !params.own, 'idParams as params'],
    [can.list, 'listMeta'],
  ])
  const validation = pickNames([
    [can.create, `create${model}`],
    [can.list, `list${Many}`],
    [can.update, `patch${model}`],
    [read, one],
    [can.one && params.own, `${one}Params`],
    [params.ofMany !== '', `${names.many}Params`],
    [can.replace, `replace${model}`],
  ])
  return {
    routesCore: importCode(core, '@create-api/core'),
    routesModel: importCode([`${model}Model`], `./${plural}.model${extension}`),
    routesValidation: importCode(validation, `./${plural}.validation${extension}`),
  }
}
