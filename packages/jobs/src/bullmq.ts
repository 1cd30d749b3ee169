// The groups are the topics of the API reference: a comment names the topic and its guides.

// Jobs for BullMQ: docs/jobs.md#jobs-for-bullmq
export { type BullMqQueue, type ForwardOptions, forwardToBullMq } from './lib/job/forward.ts'
