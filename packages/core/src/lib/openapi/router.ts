import { createRouter, type Router } from '../routing/create-router.ts'
import { defineRoute } from '../routing/define-route.ts'
import { type OpenApiDocument } from './document.ts'

/**
 * Serves a document, to be mounted at `/openapi.json`.
 * @param describe - gives the document
 * @returns the router
 */
export function createOpenApiRouter(describe: () => OpenApiDocument): Router {
  let text: string | undefined
  return createRouter([
    defineRoute({
      method: 'get',
      path: '/',
      access: 'public',
      handler: (_req, res) => {
        text ??= JSON.stringify(describe())
        // The one answer without an envelope: tools expect the bare document.
        res.setHeader('Content-Type', 'application/json; charset=utf-8')
        res.setHeader('Content-Length', Buffer.byteLength(text))
        res.end(text)
      },
    }),
  ])
}
