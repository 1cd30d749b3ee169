import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { wrapHandle } from './wrap-handle.ts'

describe('wrapHandle', () => {
  it('wraps all that an app does, the last one outermost', async () => {
    const seen: string[] = []
    const app = express()
    app.get('/', (_req, res) => {
      seen.push('app')
      res.json(seen)
    })
    for (const name of ['inner', 'outer']) {
      wrapHandle(app, (handle) => (...args) => {
        seen.push(name)
        handle(...args)
      })
    }
    const response = await request(app).get('/')
    expect(response.body).toEqual(['outer', 'inner', 'app'])
  })

  it('says so when Express has changed', () => {
    const app = express()
    Reflect.set(app, 'handle', undefined)
    expect(() => wrapHandle(app, (handle) => handle)).toThrow(
      'This release of Express has no app.handle.',
    )
  })
})
