import { type Response } from 'express'
import { existsSync, readFileSync } from 'node:fs'
import { createRouter, type Router } from '../routing/create-router.ts'
import { defineRoute } from '../routing/define-route.ts'
import { type Route } from '../routing/route.ts'

// Everything comes from this service; a page that loads nothing foreign leaks nothing.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// The first one imports the others.
const scripts = [
  'page.js',
  'answer.js',
  'authorise.js',
  'dom.js',
  'operation.js',
  'request.js',
  'schema.js',
]

/**
 * Serves a page that shows the OpenAPI document and lets every operation be tried, to be mounted at
 * `/docs` beside `/openapi.json`. Its files come from this package, under a policy of their own.
 * @returns the router
 */
export function createDocsRouter(): Router {
  return createRouter([
    toFile('/', 'index.html', 'text/html; charset=utf-8'),
    toFile('/style.css', 'style.css', 'text/css; charset=utf-8'),
    toFile('/icon.svg', 'icon.svg', 'image/svg+xml'),
    ...scripts.map((name) => toFile(`/${name}`, name, 'text/javascript; charset=utf-8')),
  ])
}

function toFile(path: string, name: string, type: string): Route {
  const text = readFileSync(new URL(name, findAssets()))
  return defineRoute({
    method: 'get',
    path,
    access: 'public',
    handler(req, res: Response) {
      // The page names its files relative to `/docs`, so that it can be mounted anywhere.
      if (req.path.endsWith('/')) {
        res.redirect(308, req.originalUrl.replace(/\/(\?|$)/, '$1'))
        return
      }
      res.setHeader('Content-Security-Policy', policy)
      res.setHeader('Content-Type', type)
      res.setHeader('Content-Length', text.byteLength)
      res.end(text)
    },
  })
}

// The same folder from src/lib/openapi and from dist.
function findAssets(): URL {
  const places = ['../../../assets/docs/', '../assets/docs/']
  const found = places
    .map((place) => new URL(place, import.meta.url))
    .find((place) => existsSync(place))
  if (!found) throw new Error('The files of the documentation page are missing from the package.')
  return found
}
