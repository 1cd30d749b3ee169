/** Something beside the database and the door that runs as long as an API does. */
export interface Part {
  start(): Promise<void>
  /** Stops it; one that was never started has nothing to stop. */
  stop(): Promise<void>
}

/**
 * Starts parts one after the other. When one fails, none is left behind.
 * @param parts - in the order of starting
 */
export async function startParts(parts: readonly Part[]): Promise<void> {
  try {
    for (const part of parts) await part.start()
  } catch (error) {
    await stopParts(parts)
    throw error
  }
}

/**
 * Stops parts, the last one first.
 * @param parts - in the order of starting
 */
export async function stopParts(parts: readonly Part[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop()
}
