/** What can go wrong, and the exit code that says so. Codes are stable; messages are not. */
export const catalogue = {
  UNEXPECTED: 1,
  CHANGES_PENDING: 1,
  PROBLEMS_FOUND: 1,
  LOCKED: 1,
  WRITE_FAILED: 1,
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
  REGISTRY_UNUSABLE: 4,
  NOT_A_PROJECT: 5,
  INSTALL_FAILED: 6,
  GIT_FAILED: 6,
  CANCELLED: 130,
} as const satisfies Record<string, number>

/** Stable name of a failure, as `--json` prints it. */
export type CliErrorCode = keyof typeof catalogue

/** What a {@link CliError} can say beyond its message. */
export interface CliErrorOptions {
  /** One line that says how to go on. */
  readonly hint?: string | undefined
  /** Lines printed under the message, already indented. */
  readonly details?: readonly string[] | undefined
  /** Files concerned, relative to the project, with `/`. */
  readonly files?: readonly string[] | undefined
  /** What was caught, when this error stands for another. */
  readonly cause?: unknown
}

/** A failure the user can act on: a message, what to do next and an exit code. */
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

/**
 * Turns anything thrown into a {@link CliError}.
 *
 * @param error what was caught
 * @returns the same error when it is one of ours, else `UNEXPECTED` with the original as its cause
 */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CliError('UNEXPECTED', message, { hint: cureFor(error), cause: error })
}

// What the system says names the path; what to do about it, it does not.
function cureFor(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? cures.get(error.code) : undefined
}

const noRight = 'look at who owns it and who may write: ls -ld'
const cures: ReadonlyMap<string, string> = new Map([
  ['EACCES', noRight],
  ['EPERM', noRight],
  ['EROFS', 'it is on a file system that can only be read'],
  ['ENOSPC', 'the disk is full: make room and run it again'],
])
