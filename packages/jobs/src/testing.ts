// The groups are the topics of the API reference: a comment names the topic and its guides.

// Tests: docs/jobs.md#tests
export { type RanJob, runJobs, type RunJobsOptions } from './lib/run-jobs.ts'
