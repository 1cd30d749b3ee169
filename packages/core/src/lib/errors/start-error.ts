/**
 * A service cannot start. Whoever starts it reads the message in a terminal: it names cause and
 * cure, and is printed without call stacks and without what drivers attach to their errors.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** The error it stands for. Not `cause`, which Node.js would print with all that hangs on it. */
  declare readonly thrown: unknown

  /**
   * @param message - cause and cure
   * @param thrown - the error it stands for
   */
  constructor(message: string, thrown: unknown) {
    super(message)
    this.stack = `${this.name}: ${message}`
    Object.defineProperty(this, 'thrown', { value: thrown })
  }
}

/**
 * Reads the message of anything thrown.
 * @param thrown - what was caught
 * @returns its message
 */
export function toReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
