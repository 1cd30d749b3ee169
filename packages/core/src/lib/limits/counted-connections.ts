import { type Request } from 'express'

// Connections in memory whose requests are parts of another request, which the global limit has counted.
const counted = new WeakSet<object>()

/**
 * Exempts the requests of a connection from the global rate limit of the APIs in this process.
 * @param connection - the end of a connection in memory from which the service reads
 */
export function countWithOther(connection: object): void {
  counted.add(connection)
}

export function isCountedWithOther({ socket }: Request): boolean {
  return counted.has(socket)
}
