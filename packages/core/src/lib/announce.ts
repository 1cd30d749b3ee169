import { describeDatabase, type DatabaseLocation } from './database/location.ts'
import { type Logger } from './logging/logger.ts'
import { type Endpoint } from './kernel/route.ts'

export interface Announcement {
  readonly name: string
  readonly environment: 'development' | 'test' | 'production'
  readonly url: string
  /** Undefined without a database. */
  readonly database: DatabaseLocation | undefined
  readonly endpoints: readonly Endpoint[]
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Writes to the terminal. */
  readonly print: (text: string) => void
}

// Prints a few lines in development and logs one line in production, with warnings about public writes
// and about the embedded database.
export function announce(announcement: Announcement): void {
  const { environment, logger, url, database } = announcement
  if (environment === 'test') return
  if (environment === 'development') {
    announcement.print(toGreeting(announcement))
    return
  }
  logger.info({ url, database: database && describeDatabase(database) }, 'listening')
  const writes = toPublicWrites(announcement.endpoints)
  if (writes.length > 0) {
    logger.warn({ routes: writes }, 'routes with public write access')
  }
  if (database && database.kind !== 'server') {
    logger.warn(
      { database: describeDatabase(database) },
      'the embedded database is not intended for production: one process, no authentication, all data in memory; set MONGODB_URI to a MongoDB server',
    )
  }
}

function toGreeting({ name, url, database, endpoints }: Announcement): string {
  const lines = [
    ['database', database ? describeDatabase(database) : 'none'],
    ['document', `${url}/openapi.json`],
    ['try', toSuggestion(url, endpoints)],
  ]
  const rows = lines.map(([label = '', text = '']) => `  ${label.padEnd(10)}${text}`)
  return `\n  ${name} serves ${url}\n\n${rows.join('\n')}\n\n`
}

function toSuggestion(url: string, endpoints: readonly Endpoint[]): string {
  const own = endpoints.filter(({ path }) => !path.startsWith('/api/v1/auth/'))
  if (own.length === 0) return 'npx api generate resource posts title:string body:text'
  const open = own.find(
    ({ method, path, route }) =>
      method === 'GET' && route.access === 'public' && !path.includes(':'),
  )
  return `curl ${url}${open?.path ?? '/'}`
}

function toPublicWrites(endpoints: readonly Endpoint[]): string[] {
  return endpoints
    .filter(({ method, path, route }) => {
      const reads = method === 'GET'
      return route.access === 'public' && !reads && !path.startsWith('/api/v1/auth/')
    })
    .map(({ method, path }) => `${method} ${path}`)
}
