import { type Request } from 'express'
import { type ZodType } from 'zod'
import { type Rule } from '../access/access.ts'
import { createSerializer, type Serializer } from '../response/serializer.ts'
import { forEachCaller } from '../routing/refused-rules.ts'
import { findFieldRules, toRestriction } from '../schemas/restrict.ts'
import { toMembers } from '../schemas/schema-members.ts'
import { type AuditChange, toChange } from './list-entries.ts'
import { type StoredChange, type StoredValue } from './audit-store.ts'

export type ToCallerChange = (change: StoredChange) => AuditChange

// A change as a caller sees it: with the values that the response of a document would have for the same caller.
export function createCallerChanges(response: ZodType): (req: Request) => ToCallerChange {
  return forEachCaller(findFieldRules(response, 'readable'), (refused) => {
    const serialize = createSerializer(response, { strict: false, refused })
    const isMember = createMemberTest(response, refused)
    const isShown = (path: string, stored: StoredValue | undefined): boolean => {
      if (!stored || !('value' in stored)) return true
      const { value } = stored
      return value === null || show(serialize, path, value) !== undefined
    }
    return (change) => {
      const { after, before, path } = change
      return isMember(path) && isShown(path, before) && isShown(path, after)
        ? toChange(change, (_path, value) => show(serialize, path, value) ?? null)
        : { path, hidden: 'masked' }
    }
  })
}

// A document that has nothing else, as the response would contain it.
function show(serialize: Serializer, path: string, value: unknown): unknown {
  const names = path.split('.')
  const document = names.reduceRight((inner, name) => ({ [name]: inner }), value)
  return names.reduce((outer, name) => Object(outer)[name], serialize(document))
}

function createMemberTest(
  response: ZodType,
  refused: ReadonlySet<Rule>,
): (path: string) => boolean {
  const members = toMembers(response)
  return (path) => {
    const member = members?.get(path.split('.', 1).join(''))
    const rule = toRestriction(member?.schema)?.readable
    return member !== undefined && !(rule && refused.has(rule))
  }
}
