import { describe, expect, it } from 'vitest'
import { newCollection } from '../catalog/catalog.ts'
import { createMemoryStore } from '../storage/tree.ts'
import { createIds } from './server-state.ts'

describe('createIds', () => {
  it('forgets when dropped collections and indexes were created, and uses no id again', () => {
    const ids = createIds(createMemoryStore())
    const [kept, dropped] = ['app.kept', 'app.dropped'].map((name) =>
      newCollection(name, [ids.next(), ids.next()], {}),
    )
    if (!kept || !dropped) throw new Error('There are two collections')
    const records = [ids.nextRecord(kept.id), ids.nextRecord(dropped.id)]
    expect(records[0]).toBe(records[1])
    ids.keepOnly([kept])
    expect(ids.createdAt(kept.indexes[0]?.id ?? '')).toBeInstanceOf(Date)
    expect(ids.createdAt(dropped.indexes[0]?.id ?? '')).toBeUndefined()
    expect(ids.nextRecord(kept.id)).not.toBe(records[0])
    expect(ids.next()).toBe(5)
  })
})
