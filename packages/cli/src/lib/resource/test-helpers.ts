import { isOwned } from './access.ts'
import { isPrivate } from './resolve-parent.ts'
import { type Resource } from './resource.ts'
import { toReferences } from './test-data.ts'

// Which helpers a generated test declares: those that its tests name, and what these need themselves.
export function toHelpers(resource: Resource, named: ReadonlySet<string>): object {
  const insert = named.has('insert')
  const toComplete = insert || named.has('toComplete')
  const toRequired = toComplete || named.has('toRequired')
  const references = toRequired ? toReferences(resource) : []
  const creates = resource.actions.includes('create')
  const request = named.has('request') || (insert && creates)
  const refersToSelf = references.some(({ initial, setup }) => setup === '' && initial !== 'absent')
  const scope = (insert && !creates) || refersToSelf
  const path = insert || named.has('path')
  return {
    insert,
    path,
    toComplete,
    toRequired,
    request,
    scope,
    absent: named.has('absent') || references.some(({ initial }) => initial === 'absent'),
    requiredFields: named.has('requiredFields'),
    ...toUsers(resource, {
      caller: named.has('caller'),
      path,
      request,
      scope,
      refersToOwned: references.some(({ owned }) => owned),
    }),
  }
}

function toUsers(
  { access, actions, parent, tenant }: Resource,
  needs: {
    caller: boolean
    path: boolean
    request: boolean
    scope: boolean
    refersToOwned: boolean
  },
): object {
  const owner = needs.refersToOwned || (parent !== undefined && isPrivate(parent))
  // A path names it, or the document of a parent, or the header of a request.
  const isNamed = tenant === 'path' || actions.length > 0 || parent !== undefined
  const organization = tenant !== undefined && needs.path && isNamed
  const isOwner = needs.scope && isOwned(access)
  const caller = needs.caller || needs.request || organization || owner || isOwner
  // Declared outside of `beforeAll` for the tests that name it.
  return { owner, organization, caller, callerOutside: needs.caller }
}
