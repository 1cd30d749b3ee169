import mongoose, { type Connection } from 'mongoose'
import { StartError } from './errors/start-error.ts'
import { type Part } from './runtime/parts.ts'
import { type Settings } from './settings/resolve-config.ts'

// The connections that requests use, whether the API or the application opens them.
export function findConnections(settings: Settings): Connection[] {
  const { auth, database, tenants } = settings
  const used = [
    ...(database ? [mongoose.connection] : []),
    ...(auth || tenants ? [findOwnConnection(settings)] : []),
  ]
  return [...new Set(used)]
}

// The connection of users, sessions and organizations.
export function findOwnConnection({ auth }: Settings): Connection {
  return (auth && auth.connection) || mongoose.connection
}

// Builds the indexes of what is stored there, on a connection that the application opens; on the
// connection of the API `connectDatabase` does.
export function prepareConnection(
  settings: Settings,
  stored: { readonly init: () => Promise<void> } | undefined,
): Part[] {
  if (!stored || settings.role === 'primary') return []
  const connection = findOwnConnection(settings)
  if (settings.database && connection === mongoose.connection) return []
  return [
    {
      async start() {
        await connection.asPromise()
        if (connection.readyState !== mongoose.ConnectionStates.connected) {
          throw new StartError(notConnected, undefined)
        }
        await stored.init()
      },
      async stop() {},
    },
  ]
}

const notConnected =
  'Authentication needs a database, and Mongoose is not connected. Connect it before api.start(), or leave out database: false.'
