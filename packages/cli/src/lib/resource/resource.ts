import { type Field } from '../fields/field.ts'
import { type ResourceNames } from '../names/resource-names.ts'

/** Who may call the routes of a generated resource. */
export const accessChoices = ['public', 'user', 'owner'] as const

/** One of {@link accessChoices}. */
export type AccessChoice = (typeof accessChoices)[number]

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

/** A resource as it is to be generated. */
export interface Resource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  readonly access: AccessChoice
  readonly actions: readonly ActionName[]
  /** Path it is mounted at. */
  readonly path: string
  /** With createdAt and updatedAt. */
  readonly timestamps: boolean
  /** Models that its fields refer to and nothing defines yet. */
  readonly missingModels: readonly string[]
}

/** One route of a resource. */
export interface ResourceRoute {
  readonly method: string
  readonly path: string
  readonly access: AccessChoice
}

const routes: Readonly<Record<ActionName, readonly [string, string]>> = {
  list: ['GET', ''],
  get: ['GET', '/:id'],
  create: ['POST', ''],
  replace: ['PUT', '/:id'],
  update: ['PATCH', '/:id'],
  delete: ['DELETE', '/:id'],
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
      const [method, suffix] = routes[action]
      return { method, path: resource.path + suffix, access: resource.access }
    })
}
