// For this project's own command line; can change in any release.
export {
  describeEnvironment,
  type EnvironmentRow,
  environmentTable,
  recordEnvironment,
  type VariableState,
} from './lib/settings/describe-environment.ts'
export { withMigrator } from './lib/migrations/run-migrations.ts'
export { createSampleFields } from './lib/testing/sample-fields.ts'
