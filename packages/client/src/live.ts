// The groups are the topics of the API reference: a comment names the topic and its guides.

// Live lists: docs/live-lists.md#in-the-client
export { type ListChange, readChanges } from './lib/changes.ts'
export { livePage, type LivePageOptions, type LiveResource } from './lib/live-page.ts'
