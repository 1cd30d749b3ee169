import { join } from 'node:path'
import { applyChanges } from './apply.ts'
import { type Change } from './change.ts'
import { withLock } from './lock.ts'
import { planChanges, readText } from './plan.ts'

export async function writeFile(
  root: string,
  path: string,
  toText: (before: string | undefined) => string,
): Promise<readonly Change[]> {
  return withLock(root, async () => {
    const before = readText(join(root, path))
    const text = toText(before)
    const changes = planChanges(root, [
      before === undefined ? { kind: 'write', path, text } : { kind: 'edit', path, before, text },
    ])
    applyChanges(root, changes)
    return changes
  })
}
