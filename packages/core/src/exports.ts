// The groups are the topics of the API reference: a comment names the topic and its guides.

// Exports: docs/resources.md#exports
export { csv, type CsvOptions, ndjson } from './lib/exports/formats.ts'
export { type ListPage, sendList } from './lib/exports/send-list.ts'
export { type ListFormat, type ListText } from './lib/route/route.ts'
