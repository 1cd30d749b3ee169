// The groups are the topics of the API reference: a comment names the topic and its guides.

// Migrations: docs/migrations.md
export { createMigrations } from './lib/migrations/create-migrations.ts'
export { type MigrationsConfig, type MigrationsFeature } from './lib/features/migrations.ts'
export { runMigrations, type RunMigrationsOptions } from './lib/migrations/run-migrations.ts'
export { type DoneMigration } from './lib/migrations/run-migration.ts'
export { MigrationError, type MigrationErrorCode } from './lib/migrations/migration-error.ts'

// Writing a migration: docs/migrations.md
export {
  type BatchOptions,
  buildIndex,
  type BuildIndexOptions,
  type DeclaredStep,
  defineMigration,
  type DocumentChange,
  dropIndex,
  hideIndex,
  type IndexKeys,
  type Migration,
  type MigrationContext,
  type MigrationDefinition,
  type MigrationFunction,
  type MigrationStep,
  outsideTransaction,
  showIndex,
  updateInBatches,
} from './lib/migrations/define-migration.ts'
