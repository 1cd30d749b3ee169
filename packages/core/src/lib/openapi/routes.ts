import { type Response } from 'express'
import { readFileSync } from 'node:fs'
import { assetUrl } from '../runtime/asset-url.ts'
import { defineRoute } from '../route/define-route.ts'
import { type Route } from '../route/route.ts'
import { type DescribeApi } from './document.ts'

export function createDocumentRoute(describe: DescribeApi): Route {
  let sent: { readonly mount: string; readonly text: string } | undefined
  return defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    handler: (req, res: Response) => {
      const mount = req.baseUrl
      if (sent?.mount !== mount) sent = { mount, text: JSON.stringify(describe(mount)) }
      const { text } = sent
      // Sent without an envelope: tools expect the bare document.
      res.setHeader('Content-Type', 'application/json; charset=utf-8')
      res.setHeader('Content-Length', Buffer.byteLength(text))
      res.end(text)
    },
  })
}

// The page loads everything from this service.
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

// `page.js` imports the others.
const scripts = [
  'page.js',
  'authorise.js',
  'dom.js',
  'operation.js',
  'request.js',
  'response.js',
  'schema.js',
]

export function createDocsRoutes(): Route[] {
  return [
    toFile('/', 'index.html', 'text/html; charset=utf-8'),
    toFile('/style.css', 'style.css', 'text/css; charset=utf-8'),
    toFile('/icon.svg', 'icon.svg', 'image/svg+xml'),
    ...scripts.map((name) => toFile(`/${name}`, name, 'text/javascript; charset=utf-8')),
  ]
}

function toFile(path: string, name: string, type: string): Route {
  const text = readFileSync(assetUrl(`docs/${name}`))
  return defineRoute({
    method: 'get',
    path,
    access: 'public',
    handler(req, res: Response) {
      // The page refers to its files relative to `/docs`, so that it can be mounted at any path.
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
