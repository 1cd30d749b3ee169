// Runs as long as the API, besides its server and database.
export interface Part {
  start(): Promise<void>
  // Does nothing if the part was not started.
  stop(): Promise<void>
}

// Starts the parts in order. If one fails, all are stopped.
export async function startParts(parts: readonly Part[]): Promise<void> {
  try {
    for (const part of parts) await part.start()
  } catch (error) {
    await stopParts(parts)
    throw error
  }
}

// Stops the parts in reverse order.
export async function stopParts(parts: readonly Part[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop()
}
