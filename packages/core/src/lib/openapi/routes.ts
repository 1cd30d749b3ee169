import { type Response } from 'express'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
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

export function createDocsRoutes(): Route[] {
  return readdirSync(assetUrl('docs')).map(toFile)
}

function toFile(name: string): Route {
  const text = readFileSync(assetUrl(`docs/${name}`))
  return defineRoute({
    method: 'get',
    path: name === 'index.html' ? '/' : `/${name}`,
    access: 'public',
    handler(req, res: Response) {
      // The page refers to its files relative to `/docs`, so that it can be mounted at any path.
      if (req.path.endsWith('/')) {
        res.redirect(308, req.originalUrl.replace(/\/(\?|$)/, '$1'))
        return
      }
      res.setHeader('Content-Security-Policy', policy)
      res.type(path.extname(name))
      res.setHeader('Content-Length', text.byteLength)
      res.end(text)
    },
  })
}
