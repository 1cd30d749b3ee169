// The groups are the topics of the API reference: a comment names the topic and its guides.

// Events: docs/events.md
export { defineEvent, type Event, type EventDefinition } from './lib/events/define-event.ts'
export { emit, type EmitOptions } from './lib/events/emit.ts'
export {
  type EventFacts,
  type EventHandler,
  type HandlerContext,
  type HandlerOptions,
  on,
} from './lib/events/on.ts'
export { type EventCaller } from './lib/queue/store.ts'

// Events of a resource: docs/events.md#events-of-a-resource
export {
  type ChangeData,
  type ChangeEventOptions,
  type ChangeEvents,
  emitChanges,
  type StoredOf,
} from './lib/events/emit-changes.ts'
