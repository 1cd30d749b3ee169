// The groups are the topics of the API reference: a comment names the topic and its guides.

// Live lists: docs/live-lists.md
export { live, type LiveOptions, type LivePage, type ReadList } from './lib/live/live.ts'
export { type LiveList } from './lib/route/route.ts'
