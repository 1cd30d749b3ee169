// For the command line; can change in any release.
export { findDefinition } from './lib/create-jobs.ts'
export { createJobManager } from './lib/manage-jobs.ts'
