// The groups are the topics of the API reference: a comment names the topic and its guides.

// Jobs: docs/jobs.md
export { createJobs, type JobsOptions } from './lib/create-jobs.ts'
export {
  type Backoff,
  defineJob,
  type Job,
  type JobOptions,
  type RunOptions,
} from './lib/job/define-job.ts'
export { type JobContext } from './lib/job/job-context.ts'
export { JobError, type JobErrorCode, PermanentError } from './lib/job/job-error.ts'
export { enqueue, type EnqueueOptions } from './lib/enqueue.ts'
export { type EnqueuedJob } from './lib/queue/insert-job.ts'

// Schedules: docs/jobs.md#schedules
export { schedule, type Schedule, type ScheduleOptions } from './lib/schedules/schedule.ts'
