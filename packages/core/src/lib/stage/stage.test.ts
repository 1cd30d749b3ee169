import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { composeStages, createStage, ended, type Stage, toStage } from './stage.ts'

function trace(name: string, log: string[]): Stage {
  return createStage(() => {
    log.push(name)
  })
}

function traceLater(name: string, log: string[]): Stage {
  return createStage(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    log.push(name)
  })
}

function serve(...handlers: RequestHandler[]): express.Express {
  const app = express()
  app.use(...handlers)
  app.use((_req, res) => void res.send('behind'))
  const onError: express.ErrorRequestHandler = (error: Error, _req, res, _next) => {
    res.status(500).send(error.message)
  }
  app.use(onError)
  return app
}

const respond = createStage((_req, res) => {
  res.send('sent')
  return ended
})

describe('createStage', () => {
  it('makes an Express middleware that goes on when the step returns', async () => {
    await request(serve(createStage(() => {})))
      .get('/')
      .expect('behind')
    await request(serve(createStage(async () => {})))
      .get('/')
      .expect('behind')
  })

  it('stops when the step has responded', async () => {
    await request(serve(respond)).get('/').expect('sent')
    const later = createStage(async (_req, res) => {
      res.send('sent later')
      return ended
    })
    await request(serve(later)).get('/').expect('sent later')
  })

  it('hands what is thrown or rejected to next', async () => {
    const throws = createStage(() => {
      throw new Error('thrown')
    })
    const rejects = createStage(async () => {
      throw new Error('rejected')
    })
    await request(serve(throws)).get('/').expect(500, 'thrown')
    await request(serve(rejects)).get('/').expect(500, 'rejected')
  })
})

describe('composeStages', () => {
  it('runs the stages in order, waiting only for promises', async () => {
    const log: string[] = []
    const pipeline = composeStages([
      trace('1', log),
      traceLater('2', log),
      trace('3', log),
      composeStages([traceLater('4', log), trace('5', log)]),
      trace('6', log),
    ])
    await request(serve(pipeline)).get('/').expect('behind')
    expect(log).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  it('stays synchronous when nothing waits', () => {
    const pipeline = composeStages([trace('1', []), trace('2', [])])
    expect(Reflect.apply(pipeline.step, undefined, [{}, {}])).toBeUndefined()
  })

  it.each([
    ['at once', respond],
    [
      'later',
      createStage(async (_req, res) => {
        res.send('sent')
        return ended
      }),
    ],
  ])('does not run what follows a stage that responded %s', async (_when, stage) => {
    const log: string[] = []
    const pipeline = composeStages([traceLater('1', log), stage, trace('2', log)])
    await request(serve(pipeline)).get('/').expect('sent')
    expect(log).toEqual(['1'])
  })
})

describe('toStage', () => {
  it('leaves a stage as it is', () => {
    expect(toStage(respond)).toBe(respond)
  })

  it('waits until a middleware calls next', async () => {
    const log: string[] = []
    const middleware: RequestHandler = (_req, _res, next) => {
      setImmediate(() => {
        log.push('middleware')
        next()
      })
    }
    const pipeline = composeStages([toStage(middleware), trace('next', log)])
    await request(serve(pipeline)).get('/').expect('behind')
    expect(log).toEqual(['middleware', 'next'])
  })

  it('hands errors of a middleware on, passed, thrown or rejected', async () => {
    const passes: RequestHandler = (_req, _res, next) => next(new Error('passed'))
    const throws: RequestHandler = () => {
      throw new Error('thrown')
    }
    const rejects: RequestHandler = async () => {
      throw new Error('rejected')
    }
    await request(serve(toStage(passes)))
      .get('/')
      .expect(500, 'passed')
    await request(serve(toStage(throws)))
      .get('/')
      .expect(500, 'thrown')
    await request(serve(toStage(rejects)))
      .get('/')
      .expect(500, 'rejected')
  })
})
