/** The codes of a {@link MigrationError}. */
export type MigrationErrorCode =
  | 'migration_files'
  | 'migration_history'
  | 'migration_pending'
  | 'migration_failed'
  | 'migration_stopped'
  | 'migration_lock_lost'
  | 'migration_not_found'
  | 'migration_irreversible'

/** Thrown when migrations cannot be run. The message names the cause and the fix. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  /** Stable name of the cause. */
  readonly code: MigrationErrorCode

  /**
   * @param code - stable name of the cause
   * @param message - cause and fix
   * @param options - the original error
   */
  constructor(code: MigrationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
