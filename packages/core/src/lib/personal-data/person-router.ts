import { fresh } from '../access/fresh.ts'
import { getAuth } from '../create-auth.ts'
import { type Duration } from '../options/options.ts'
import { success } from '../response/success.ts'
import { defineRoute } from '../route/define-route.ts'
import { createRouter, type Router } from '../routing/create-router.ts'
import { sendStream, stream } from '../streams/stream.ts'
import { erasePerson, toRouteError } from './erase-person.ts'
import { exportPerson } from './export-person.ts'

/** Options of {@link createPersonRouter}. */
export interface PersonRouterOptions {
  /**
   * The age that the last proof of identity may have: seconds, or text such as `10m`.
   * @default '10m'
   */
  readonly freshness?: Duration | undefined
}

/**
 * Creates the routes by which users get and erase their own data: `GET /data` sends the export as NDJSON, and `DELETE /` erases the user. Both
 * need a recent proof of identity, and refuse API keys.
 * @param options - the age of the proof
 * @returns the router
 * @throws TypeError when the age is not a duration of 1s or more
 * @example
 * ```ts
 * export const routes = createRegistry().use('/api/me', createPersonRouter())
 * ```
 */
export function createPersonRouter(options: PersonRouterOptions = {}): Router {
  const { freshness = '10m' } = options
  const access = fresh(freshness)
  return createRouter(
    [
      defineRoute({
        method: 'get',
        path: '/data',
        access,
        summary: 'Export the data of the current user',
        operationId: 'exportMe',
        response: stream({ type: 'application/x-ndjson' }),
        async handler(req, res) {
          res.setHeader('Content-Disposition', 'attachment; filename="data.ndjson"')
          res.setHeader('Cache-Control', 'no-store')
          const documents = exportPerson(getAuth(req), req.user.id)
          await sendStream(res, async function* toLines() {
            for await (const document of documents) yield `${JSON.stringify(document)}\n`
          })
        },
      }),
      defineRoute({
        method: 'delete',
        path: '/',
        access,
        summary: 'Erase the current user',
        operationId: 'eraseMe',
        errors: ['conflict', 'last_administrator'],
        async handler(req, res) {
          try {
            await erasePerson(getAuth(req), req.user.id)
          } catch (error) {
            throw toRouteError(error)
          }
          success(res)
        },
      }),
    ],
    { tag: 'personal data' },
  )
}
