import { type Access, toRule } from './access.ts'

// The rules of the routes that read the documents of a model, where these have owners.
const readers = new WeakMap<object, Access>()

interface ReadRoute {
  readonly access: Access
  readonly method: string
}

// The routes of a model declare whether its documents have owners; a field of that name can be anything.
export function noteReaders(model: object, routes: readonly ReadRoute[]): void {
  const reads = routes.filter(({ method }) => method === 'get')
  const owned = (reads.length > 0 ? reads : routes).find(({ access }) => isOwned(access))
  if (owned) readers.set(model, owned.access)
}

export function findReaders(model: object): Access | undefined {
  return readers.get(model)
}

function isOwned(access: Access): boolean {
  const { form } = toRule(access)
  if (form?.kind === 'any' || form?.kind === 'all') return form.rules.some(isOwned)
  return form?.kind === 'owner'
}
