// For @create-api/jobs; can change in any release.
export {
  type JobsConfig,
  type JobsContext,
  type JobsFeature,
  type JobsRuntime,
} from './lib/features/jobs.ts'
export { type Instruments } from './lib/features/metrics.ts'
export { hasTransactions } from './lib/database/connect.ts'
export { majority } from './lib/database/write-concern.ts'
export { isDuplicateKey } from './lib/errors/from-database-error.ts'
export { currentCaller, currentRequest, trackRequests } from './lib/logging/request-context.ts'
export { toTraceFields } from './lib/logging/tracing.ts'
export { parseDuration } from './lib/options/parse-duration.ts'
export { type Duration } from './lib/options/options.ts'
export { findSession, runInTransaction } from './lib/database/transactions.ts'
export { type AnyModel } from './lib/resource/model.ts'
export { type Change, recordChanges } from './lib/resource/record-changes.ts'
export { loadIfInstalled } from './lib/runtime/optional-package.ts'
export { settleWithin } from './lib/runtime/within.ts'
