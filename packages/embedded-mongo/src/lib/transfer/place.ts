import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Tells the two kinds of places that data can be in apart.
 *
 * @param place A data folder or a connection string.
 * @returns Whether it is a connection string.
 */
export function isConnectionString(place: string): boolean {
  return /^mongodb(?:\+srv)?:\/\//.test(place)
}

/**
 * Refuses to read from a place that holds no data.
 *
 * @param place A data folder or a connection string.
 * @throws {Error} It is a folder in which nothing was ever stored.
 */
export function requireData(place: string): void {
  if (!isConnectionString(place)) requireDataFolder(place)
}

/**
 * Refuses to read from a folder that holds no data: opening it would make an empty database there,
 * and a mistyped name would look like one whose data is gone.
 *
 * @param place The data folder.
 * @throws {Error} The folder is missing, or nothing was ever stored in it.
 */
export function requireDataFolder(place: string): void {
  // The log is there a moment before the manifest.
  if (['manifest', 'log-1'].some((name) => existsSync(join(place, name)))) return
  throw new Error(
    `${place} is no data folder: there is no manifest in it. Name the folder that the start prints, such as .data.`,
  )
}
