// Its message is read in a terminal: it states the cause and the fix, and is printed without call
// stacks and without the properties that drivers attach to their errors.
export class StartError extends Error {
  override readonly name = 'StartError'
  /** The original error. Not `cause`, which Node.js would print with all its properties. */
  declare readonly thrown: unknown

  constructor(message: string, thrown: unknown) {
    super(message)
    this.stack = `${this.name}: ${message}`
    Object.defineProperty(this, 'thrown', { value: thrown })
  }
}

export function toReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
