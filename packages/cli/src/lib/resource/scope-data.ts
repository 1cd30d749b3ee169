import { importCode } from '../code/function-head.ts'
import { type Resource } from './resource.ts'
import { type TemplateNames } from './template-data.ts'

/** A field that the server sets of every document and puts into every query. */
export interface ScopeField {
  readonly name: string
  /** Model it refers to. */
  readonly model: string
  /** Where a controller takes it from. */
  readonly value: string
}

/**
 * Lists what every query of a resource carries: its parent and its owner.
 *
 * @param resource the resource
 * @returns the fields; none for a resource that is everyone's
 */
export function toScope(resource: Resource): readonly ScopeField[] {
  const { access, parent } = resource
  const fields: ScopeField[] = []
  if (parent !== undefined) {
    const { field: name, model, param } = parent
    fields.push({ name, model, value: `req.valid.params.${param}` })
  }
  if (access === 'owner') fields.push({ name: 'owner', model: 'User', value: 'req.user.id' })
  return fields
}

/** What stands for one document: in its path, in a filter, in code. */
export interface KeyData {
  /** Parameter of the path and variable: `id` or the field. */
  readonly name: string
  /** `id` as a filter has it, such as `_id: id` or `slug`. */
  readonly entry: string
  /** The same, taken from the request. */
  readonly ofRequest: string
  /** Declaration in the type of a filter: `_id: string`. */
  readonly declaration: string
  /** Query for one document by it. */
  readonly find: string
  /** What `setCreated` needs to know beside the document. */
  readonly location: string
  /** Segment of the path for a document `data` that a client has read. */
  readonly segment: string
}

/**
 * Computes how the generated code names one document.
 *
 * @param resource the resource
 * @param local variable of one document in the controller
 * @returns the pieces of code
 */
export function toKeyData(resource: Resource, local: string): KeyData {
  const { key } = resource
  if (key === undefined) {
    return {
      name: 'id',
      entry: '_id: id',
      ofRequest: '_id: req.valid.params.id',
      declaration: '_id: string',
      find: 'findById(id)',
      location: '',
      segment: 'data.id',
    }
  }
  const { name } = key
  const whole = key.type.kind === 'int'
  return {
    name,
    entry: name,
    ofRequest: `${name}: req.valid.params.${name}`,
    declaration: `${name}: ${whole ? 'number' : 'string'}`,
    find: `findOne({ ${name} })`,
    segment: whole ? `data.${name}` : `encodeURIComponent(data.${name})`,
    location: `, ${whole ? `String(${local}.${name})` : `${local}.${name}`}`,
  }
}

/** The path parameters of a resource: their schemas and types. */
export interface ParamsData {
  /** Property of a route of one document: `params`, or `params: postParams`. */
  readonly ofOne: string
  /** Property of a route of the collection; empty when its path has no parameter. */
  readonly ofMany: string
  /** Type of the parameters of one document. */
  readonly typeOfOne: string
  /** Type of the parameters of the collection; empty when there are none. */
  readonly typeOfMany: string
  /** True when the core's `idParams` will not do. */
  readonly own: boolean
  /** Schema of the parameters of one document, where it is the resource's own. */
  readonly schemaOfOne: string
  /** Schema of the parameters of the collection. */
  readonly schemaOfMany: string
}

/**
 * Computes the path parameters of a resource.
 *
 * @param resource the resource
 * @param names its names
 * @returns the pieces of code
 */
export function toParamsData(resource: Resource, names: TemplateNames): ParamsData {
  const { key, parent } = resource
  const { many, model, one, Many } = names
  const own = key !== undefined || parent !== undefined
  if (!own) {
    return {
      own,
      ofOne: 'params',
      ofMany: '',
      typeOfOne: 'IdParams',
      typeOfMany: '',
      schemaOfOne: '',
      schemaOfMany: '',
    }
  }
  const whole = key?.type.kind === 'int'
  const value = whole ? 'integerId' : `create${model}.shape.${key?.name ?? 'id'}`
  const member = key === undefined ? 'id: objectId' : `${key.name}: ${value}`
  return {
    own,
    ofOne: `params: ${one}Params`,
    ofMany: parent === undefined ? '' : `params: ${many}Params`,
    typeOfOne: `${model}Params`,
    typeOfMany: parent === undefined ? '' : `${Many}Params`,
    schemaOfOne:
      parent === undefined
        ? `z.strictObject({ ${member} })`
        : `${many}Params.extend({ ${member} })`,
    schemaOfMany: parent === undefined ? '' : `z.strictObject({ ${parent.param}: objectId })`,
  }
}

/** What a nested resource needs to know of its parent. */
export interface ParentData {
  readonly model: string
  readonly words: string
  /** Import of its model. */
  readonly import: string
  /** Filter that finds it. */
  readonly filter: string
}

/**
 * Computes how a nested resource finds its parent.
 *
 * @param resource the resource
 * @param extension extension of imports
 * @returns the pieces of code, or nothing for a resource of its own
 */
export function toParentData(resource: Resource, extension: string): ParentData | undefined {
  const { parent } = resource
  if (parent === undefined) return undefined
  const { access, field, model, plural, words } = parent
  return {
    model,
    words,
    import: importCode([`${model}Model`], `../${plural}/${plural}.model${extension}`),
    filter: `{ _id: scope.${field}${access === 'owner' ? ', owner: scope.owner' : ''} }`,
  }
}
