/** What a check of `api doctor` found. */
export interface Finding {
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** How to cure it. */
  readonly fix?: string | undefined
}

/**
 * Says that all is well.
 *
 * @param message what was looked at
 * @returns the finding
 */
export function fine(message: string): Finding {
  return { status: 'ok', message }
}

/**
 * Says that something should be looked at.
 *
 * @param message what
 * @param fix how to cure it
 * @returns the finding
 */
export function warning(message: string, fix?: string): Finding {
  return { status: 'warning', message, fix }
}

/**
 * Says that something is wrong.
 *
 * @param message what
 * @param fix how to cure it
 * @returns the finding
 */
export function problem(message: string, fix?: string): Finding {
  return { status: 'problem', message, fix }
}
