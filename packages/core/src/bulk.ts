// The groups are the topics of the API reference: a comment names the topic and its guides.

// Bulk requests: docs/resources.md#bulk-requests
export { type BulkOptions, withBulk } from './lib/bulk/with-bulk.ts'
