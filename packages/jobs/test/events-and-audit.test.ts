import { auditChanges, listAuditEntries } from '@create-api/core/audit'
import { createDocument, versioned } from '@create-api/core/resource'
import { emitChanges, on } from '@create-api/jobs/events'
import { model, Schema } from 'mongoose'
import { expect, it } from 'vitest'
import { createTestBed, stored, until } from './fixture.ts'

const bed = createTestBed()

it('a change has an event and an audit entry in one transaction, or neither', async () => {
  const fields = { title: { type: String, unique: true } }
  const Logs = model('Log', new Schema(fields, { collection: 'logs' }).plugin(versioned))
  const events = emitChanges(Logs)
  auditChanges(Logs)
  const seen: unknown[] = []
  const handler = on(events.created, { name: 'seen', run: ({ id }) => void seen.push(id) })
  await bed.start({ handlers: [handler] })
  const { _id: id } = await createDocument(Logs, { title: 'One' }, { scope: {} })
  await expect(createDocument(Logs, { title: 'One' }, { scope: {} })).rejects.toThrow('E11000')
  await until(() => seen.length > 0)
  expect(seen).toEqual([String(id)])
  expect(await stored('outbox_events')).toHaveLength(1)
  expect(await listAuditEntries()).toMatchObject([{ id: String(id), sequence: 1 }])
})
