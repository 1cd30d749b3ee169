import { createStage, type Stage } from './stage.ts'

/**
 * Asks clients to leave while the service stops: every answer closes its connection, which
 * `server.close()` alone does not do for connections that are kept busy.
 * @param isDraining - whether the service is stopping
 * @returns the stage
 */
export function drain(isDraining: () => boolean): Stage {
  return createStage((_req, res) => {
    if (isDraining()) res.setHeader('Connection', 'close')
  })
}
