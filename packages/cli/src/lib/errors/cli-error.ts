// Every error code with its exit code. Codes are stable, messages are not.
// docs/cli.md has them as a table, which a test compares.
export const catalogue = {
  UNEXPECTED: 1,
  CHANGES_PENDING: 1,
  PROBLEMS_FOUND: 1,
  LOCKED: 1,
  WRITE_FAILED: 1,
  MIGRATION_FAILED: 1,
  USAGE: 2,
  INVALID_NAME: 2,
  INVALID_FIELD: 2,
  NAME_TAKEN: 2,
  UNKNOWN_RESOURCE: 2,
  UNKNOWN_FIELD: 2,
  INVALID_CONFIG: 2,
  INVALID_DOCUMENT: 2,
  CONFLICT: 3,
  TARGET_NOT_EMPTY: 3,
  OUTSIDE_PROJECT: 3,
  WORK_TREE_DIRTY: 3,
  REGISTRY_UNUSABLE: 4,
  NOT_A_PROJECT: 5,
  NOT_ADOPTABLE: 5,
  INSTALL_FAILED: 6,
  GIT_FAILED: 6,
  CANCELLED: 130,
} as const satisfies Record<string, number>

/** Stable name of an error, as printed by `--json`. */
export type CliErrorCode = keyof typeof catalogue

/** Details of a {@link CliError}. */
export interface CliErrorOptions {
  /** How to fix it, in one line. */
  readonly hint?: string | undefined
  /** Indented lines printed below the message. */
  readonly details?: readonly string[] | undefined
  /** Affected files, relative to the project, with `/`. */
  readonly files?: readonly string[] | undefined
  /** The original error, when this one replaces it. */
  readonly cause?: unknown
}

/** An error with a hint for the user and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode
  readonly exit: number
  readonly hint: string | undefined
  readonly details: readonly string[]
  readonly files: readonly string[]

  constructor(code: CliErrorCode, message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.exit = catalogue[code]
    this.hint = options.hint
    this.details = options.details ?? []
    this.files = options.files ?? []
  }
}

// Errors of other kinds become `UNEXPECTED`, with the original as their cause.
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CliError('UNEXPECTED', message, { hint: suggestFix(error), cause: error })
}

// The messages of the operating system name the path but no fix.
function suggestFix(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? fixes.get(error.code) : undefined
}

const noPermission = 'check its owner and permissions: ls -ld'
const fixes: ReadonlyMap<string, string> = new Map([
  ['EACCES', noPermission],
  ['EPERM', noPermission],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full: free some space and try again'],
])
