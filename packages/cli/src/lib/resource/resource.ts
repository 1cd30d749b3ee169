import { type Field } from '../fields/field.ts'
import { type ResourceNames } from '../names/resource-names.ts'

/** Who may call the routes of a generated resource. */
export const accessChoices = ['public', 'user', 'owner'] as const

/** One of {@link accessChoices}. */
export type AccessChoice = (typeof accessChoices)[number]

/**
 * Reads an access as the manifest holds it.
 *
 * @param text the access; absent for the default
 * @returns the access
 */
export function readAccess(text: string | undefined): AccessChoice {
  return accessChoices.find((choice) => choice === text) ?? 'public'
}

/** What a resource can do. */
export const actions = ['list', 'get', 'create', 'replace', 'update', 'delete'] as const

/** One of {@link actions}. */
export type ActionName = (typeof actions)[number]

/** The files of a resource, and its line in the registry. */
export const parts = [
  'model',
  'validation',
  'service',
  'controller',
  'routes',
  'test',
  'mount',
] as const

/** One of {@link parts}. */
export type PartName = (typeof parts)[number]

/** What a resource is nested under. */
export interface Parent {
  /** Its model: `Post`. */
  readonly model: string
  /** Its folder, and its name on the command line: `posts`. */
  readonly plural: string
  /** Name in words: `blog post`. */
  readonly words: string
  /** Field that holds its id: `post`. */
  readonly field: string
  /** Parameter of the path that holds its id: `postId`. */
  readonly param: string
  /** Path it is mounted at. */
  readonly path: string
  readonly access: AccessChoice
}

/** A resource as it is to be generated. */
export interface Resource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  /** Every query carries its id. */
  readonly parent?: Parent | undefined
  /** The unique field that stands for a document in its path, instead of the id. */
  readonly key?: Field | undefined
  readonly access: AccessChoice
  readonly actions: readonly ActionName[]
  /** Path it is mounted at. */
  readonly path: string
  /** With createdAt and updatedAt. */
  readonly timestamps: boolean
  /** Models that its fields refer to and nothing defines yet. */
  readonly missingModels: readonly string[]
  /** Models that its fields refer to, and only to the caller's own documents. */
  readonly ownedModels: readonly string[]
}

/** One route of a resource. */
export interface ResourceRoute {
  readonly method: string
  readonly path: string
  readonly access: AccessChoice
}

const routes: Readonly<Record<ActionName, readonly [method: string, ofOne: boolean]>> = {
  list: ['GET', false],
  get: ['GET', true],
  create: ['POST', false],
  replace: ['PUT', true],
  update: ['PATCH', true],
  delete: ['DELETE', true],
}

/**
 * Lists the routes a resource will answer.
 *
 * @param resource the resource
 * @returns one entry an action, in the order of the routes file
 */
export function toRoutes(resource: Resource): readonly ResourceRoute[] {
  return (['list', 'create', 'get', 'replace', 'update', 'delete'] as const)
    .filter((action) => resource.actions.includes(action))
    .map((action) => {
      const [method, ofOne] = routes[action]
      const suffix = ofOne ? `/:${resource.key?.name ?? 'id'}` : ''
      return { method, path: resource.path + suffix, access: resource.access }
    })
}
