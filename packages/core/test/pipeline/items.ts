import { type RequestHandler } from 'express'
import { z } from 'zod'
import { createRouter, defineRoute, type Router, success } from '../../src/index.ts'
import { setEtag } from '../../src/resource.ts'

const item = z.object({ id: z.string(), text: z.string() })

/**
 * Makes the routes of the tests that compare responses to the byte: read, create, fail, and one that
 * responds by itself.
 * @param before - runs before each of them
 * @returns the router
 */
export function createItems(before: RequestHandler[] = []): Router {
  return createRouter([
    defineRoute({
      method: 'get',
      path: '/:id',
      access: 'public',
      params: z.object({ id: z.string().max(5) }),
      response: item,
      etag: true,
      before,
      handler: async (req, res) => {
        success(setEtag(res, { _id: req.valid.params.id, __v: 7 }), {
          id: req.valid.params.id,
          text: 'ä'.repeat(2000),
        })
      },
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body: z.strictObject({ text: z.string().min(1) }),
      response: item,
      status: 201,
      before,
      handler: (req, res) => {
        success(res.status(201).location('/items/1'), { id: '1', text: req.valid.body.text })
      },
    }),
    defineRoute({
      method: 'get',
      path: '/fail/now',
      access: 'public',
      before,
      handler: async () => {
        throw new Error('secret')
      },
    }),
    defineRoute({
      method: 'get',
      path: '/own/response',
      access: 'public',
      before,
      handler: (_req, res) => {
        res.json({ own: true })
      },
    }),
  ])
}
