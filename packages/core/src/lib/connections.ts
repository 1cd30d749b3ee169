import mongoose, { type Connection } from 'mongoose'
import { type Auth } from './create-auth.ts'
import { StartError } from './errors/start-error.ts'
import { type Part } from './kernel/parts.ts'
import { type Settings } from './settings/resolve-config.ts'

// The connections that requests use, whether the API or the application opens them.
export function findConnections({ auth, database }: Settings): Connection[] {
  const used = [
    ...(database ? [mongoose.connection] : []),
    ...(auth ? [auth.connection ?? mongoose.connection] : []),
  ]
  return [...new Set(used)]
}

// Builds the indexes of authentication on a connection that the application opens; on the connection of
// the API `connectDatabase` does.
export function prepareConnection(settings: Settings, auth: Auth | undefined): Part[] {
  if (!settings.auth || !auth || settings.role === 'primary') return []
  const connection = settings.auth.connection ?? mongoose.connection
  if (settings.database && connection === mongoose.connection) return []
  return [
    {
      async start() {
        await connection.asPromise()
        if (connection.readyState !== mongoose.ConnectionStates.connected) {
          throw new StartError(notConnected, undefined)
        }
        await auth.init()
      },
      async stop() {},
    },
  ]
}

const notConnected =
  'Authentication needs a database, and Mongoose is not connected. Connect it before api.start(), or leave out database: false.'
