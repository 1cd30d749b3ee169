import { list, object, quoted } from '../code/literals.ts'
import { isMixed, isRule, toAccessCode } from './access.ts'
import { type ActionName, isOfOne, mapActions } from './actions.ts'
import { toReferences } from './references.ts'
import { toParentReaders } from './resolve-parent.ts'
import { type Resource } from './resource.ts'

// The options of the routes that differ between resources, as code: those that each route begins with, and its errors. An option ends with a
// comma, so that another one can follow.
export function toRouteData(resource: Resource, sharedParams: string): object {
  const { access, fields, names, tenant } = resource
  const toAccess = (action: ActionName): string =>
    `access: ${toAccessCode(access.of[action], tenant !== undefined)}, `
  const params = sharedParams === '' ? '' : `params: ${names.many}Params, `
  const duplicate = fields.some(({ unique }) => unique) ? ['duplicate'] : []
  // A rule may compare fields that a client can write; then a change reads the document first.
  const conflict = access.of.replace.some(isRule) ? ['conflict'] : []
  return {
    stated: {
      ...mapActions(
        (action) => (isMixed(access) ? toAccess(action) : '') + (isOfOne(action) ? '' : params),
      ),
      all: `${isMixed(access) ? '' : toAccess('list')}${toReferencesCode(resource)}`,
    },
    errors: {
      create: toErrors(duplicate),
      replace: toErrors([...conflict, ...duplicate]),
      update: toErrors(['conflict', ...duplicate]),
      restore: toErrors(duplicate),
    },
  }
}

function toErrors(codes: readonly string[]): string {
  return codes.length > 0 ? `errors: ${list(codes.map((code) => quoted(code)))}, ` : ''
}

// What the router states about references: those to documents that not everyone can read.
function toReferencesCode(resource: Resource): string {
  const { fields, parent, readers, tenant, tenantModels } = resource
  const references = toReferences(fields).map(({ model, path }) => ({
    name: path.includes('.') ? quoted(path) : path,
    words: readers[model],
    inTenant: tenantModels.includes(model),
  }))
  if (parent) {
    const words = toParentReaders(resource) ?? (tenant === undefined ? ['public'] : undefined)
    references.push({ name: parent.field, words, inTenant: tenant !== undefined })
  }
  const stated = references
    .filter(({ inTenant, words }) => words !== undefined || inTenant)
    .map(({ inTenant, name, words = ['user'] }) => `${name}: ${toAccessCode(words, inTenant)}`)
  return stated.length > 0 ? `references: ${object(stated)}, ` : ''
}
