import { describeDatabase, parseDatabaseUri } from './database/location.ts'
import { type Environment } from './options/options.ts'
import { isOpen } from './access/access.ts'
import { type Endpoint } from './route/route.ts'
import { type Logger } from './logging/logger.ts'

export interface Announcement {
  readonly name: string
  readonly environment: Environment
  readonly url: string
  readonly database: { readonly uri: string } | false
  readonly endpoints: readonly Endpoint[]
  readonly openapi: { readonly serve?: boolean | undefined } | false
  readonly auth: { readonly routes: { readonly path: string } } | false
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly warnings: readonly string[]
  /**
   * Writes to the terminal.
   * @default to standard output
   */
  readonly print?: (text: string) => unknown
}

// Logs the warnings of the configuration. Then prints a few lines in development and logs one line in
// production, with what is public, and a warning about the embedded database.
export function announce(announcement: Announcement): void {
  const { environment, logger, url, print = (text) => process.stdout.write(text) } = announcement
  for (const warning of announcement.warnings) logger.warn({}, warning)
  if (environment === 'test') return
  if (url === '') {
    logger.info({ database: describe(announcement) }, 'working, without serving requests')
    return
  }
  if (environment === 'development') {
    print(formatGreeting(announcement))
    return
  }
  const database = describe(announcement)
  logger.info({ url, database }, 'listening')
  const writes = listPublicWrites(announcement)
  if (writes.length > 0) {
    logger.warn({ routes: writes }, 'routes with public write access')
  }
  if (announcement.openapi && announcement.openapi.serve === undefined) {
    logger.info({}, documentMessage)
  }
  if (isEmbedded(announcement)) {
    logger.warn(
      { database },
      'the embedded database is not intended for production: one process, no authentication, all data in memory; set MONGODB_URI to a MongoDB server',
    )
  }
}

const documentMessage =
  'the OpenAPI document with all routes is public at /openapi.json and /docs; set OPENAPI=off if it must not be, OPENAPI=on if it is meant to be'

function describe({ database }: Announcement): string | undefined {
  return database ? describeDatabase(database.uri) : undefined
}

function isEmbedded({ database }: Announcement): boolean {
  return database && parseDatabaseUri(database.uri).kind !== 'server'
}

function formatGreeting(announcement: Announcement): string {
  const { name, openapi, url } = announcement
  const lines = [
    ['database', describe(announcement) ?? 'none'],
    ...(openapi && openapi.serve !== false ? [['document', `${url}/openapi.json`]] : []),
    ['try', suggestRequest(announcement)],
  ]
  const rows = lines.map(([label = '', text = '']) => `  ${label.padEnd(10)}${text}`)
  return `\n  ${name} serves ${url}\n\n${rows.join('\n')}\n\n`
}

// Finds the routes of the application, without those of authentication.
function findOwnRoutes({ auth, endpoints }: Announcement): readonly Endpoint[] {
  return auth ? endpoints.filter(({ path }) => !path.startsWith(`${auth.routes.path}/`)) : endpoints
}

function suggestRequest(announcement: Announcement): string {
  const { url } = announcement
  const own = findOwnRoutes(announcement)
  if (own.length === 0) return 'npx api generate resource posts title:string body:text'
  const open = own.find(
    ({ method, path, route }) => method === 'GET' && isOpen(route.access) && !path.includes(':'),
  )
  return `curl ${url}${open?.path ?? '/'}`
}

function listPublicWrites(announcement: Announcement): string[] {
  return findOwnRoutes(announcement)
    .filter(({ method, route }) => isOpen(route.access) && method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
}
