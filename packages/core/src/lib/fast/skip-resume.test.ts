import { once } from 'node:events'
import { type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import express, { type Express } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { createServer } from '../create-server.ts'
import { skipResume } from './skip-resume.ts'

let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  await once(server ?? process, 'close')
})

// Two apps that differ in nothing else.
function createApp(quiet: boolean): Express {
  const app = express()
  if (quiet) skipResume(app.request)
  return app
}

async function listen(app: Express): Promise<number> {
  server = createServer(app).listen(0)
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  return (server.address() as AddressInfo).port
}

// Sends requests over one connection, each when the response to the last is there.
async function send(port: number, ...requests: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const responses: string[] = []
  for (const text of requests) {
    socket.write(text)
    const [chunk] = await once(socket, 'data')
    responses.push(String(chunk).split('\r\n\r\n')[1] ?? '')
  }
  socket.destroy()
  return responses
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello'
const chunked =
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'

describe('skipResume', () => {
  it('leaves a request alone that has no body and no listeners', async () => {
    const seen: IncomingMessage[] = []
    const app = createApp(true)
    app.use((req, res) => {
      seen.push(req)
      res.end('ok')
    })
    expect(await send(await listen(app), get, get, get)).toEqual(['ok', 'ok', 'ok'])
    await turn()
    expect(seen.map(({ readableFlowing }) => readableFlowing)).toEqual([null, null, null])
    expect(seen.map(({ readableEnded }) => readableEnded)).toEqual([true, true, true])
  })

  it.each([
    ['with a length', post],
    ['in chunks', chunked],
  ])('takes a body off the wire that no one reads, %s', async (_name, text) => {
    const app = createApp(true)
    app.use((_req, res) => void res.end('ok'))
    expect(await send(await listen(app), text, get, text)).toEqual(['ok', 'ok', 'ok'])
  })

  describe.each([
    ['as Node does', false],
    ['quiet', true],
  ])('%s', (_name, quiet) => {
    it.each(['end', 'close'])(
      'notifies listeners of %s when the response has been sent',
      async (event) => {
        const app = createApp(quiet)
        const heard = new Promise<boolean>((resolve) => {
          app.use((req, res) => {
            req.on(event, () => resolve(true))
            res.end('ok')
          })
        })
        await send(await listen(app), get)
        expect(await heard).toBe(true)
      },
    )

    it('notifies a stream of events that its client has gone', async () => {
      const app = createApp(quiet)
      const port = await listen(app)
      const closed = new Promise<boolean>((resolve) => {
        app.use((req, res) => {
          req.on('close', () => resolve(true))
          res.write('data: 1\n\n')
        })
      })
      await send(port, get)
      expect(await closed).toBe(true)
    })

    it('ends a body that is read, though there is none', async () => {
      const app = createApp(quiet)
      app.use('/resume', (req, res) => void req.resume().on('end', () => res.end('resumed')))
      app.use('/data', (req, res) => {
        req.on('data', () => {}).on('end', () => res.end('read'))
      })
      app.use('/list', (req, res, next) => {
        req.toArray().then((chunks) => res.end(`listed ${chunks.length}`), next)
      })
      const requests = ['resume', 'data', 'list'].map((path) => get.replace('/', `/${path}`))
      expect(await send(await listen(app), ...requests)).toEqual(['resumed', 'read', 'listed 0'])
    })
  })
})
