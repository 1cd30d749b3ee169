import { type Comparison, type Pair } from './difference.ts'
import { isSame, type Json } from './json.ts'

/**
 * Compares who may call an operation: everyone, every user, or some of them.
 *
 * @param comparison the documents
 * @param pair the operation in both
 */
export function compareAccess(comparison: Comparison, pair: Pair<Json>): void {
  const [earlier, later] = [toAccess(pair.before), toAccess(pair.after)]
  if (isSame(earlier, later)) return
  const message = `access ${toText(earlier)} → ${toText(later)}`
  // Between two groups of users someone always loses.
  const looser = rankOf(later) < rankOf(earlier)
  comparison.report(looser ? 'access-looser' : 'access-stricter', '', message)
}

function toAccess(operation: Json): unknown {
  if (operation['x-access'] !== undefined) return operation['x-access']
  const security = operation['security']
  const open = !Array.isArray(security) || security.length === 0
  return open ? 'public' : security
}

function rankOf(access: unknown): number {
  if (access === 'public') return 0
  return access === 'user' ? 1 : 2
}

function toText(access: unknown): string {
  return typeof access === 'string' ? access : JSON.stringify(access)
}
