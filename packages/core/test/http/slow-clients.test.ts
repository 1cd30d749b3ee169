import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNotes } from './service.ts'

const api = createNotes({ server: { host: '127.0.0.1', headersTimeout: 1, requestTimeout: 2 } })
const head = 'POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
let url: string

beforeAll(async () => {
  ;({ url } = await api.start({ port: 0, signals: false }))
})
afterAll(() => api.stop())

// Drips a byte now and then, and reads until the server closes the connection.
async function drip(start: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => {})
  if (start !== '') socket.write(start)
  const timer = setInterval(() => start !== '' && socket.writable && socket.write('x'), 200)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(timer)
  return text
}

describe('slow clients', () => {
  it('AVL-05 HTTP-07 F-08 get 408 and do not starve other clients', async () => {
    const starts = ['POST / HTTP/1.1\r\nX-A: ', `${head}Content-Length: 1000\r\n\r\n{`]
    const slow = starts.flatMap((start) => Array.from({ length: 100 }, () => drip(start)))
    const served = []
    for (let turn = 0; turn < 20; turn++) served.push((await fetch(`${url}/api/notes`)).status)
    expect(served).toEqual(Array(20).fill(200))
    for (const text of await Promise.all(slow)) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toContain('"code":"request_timeout"')
    }
  })

  it('AVL-06 an idle connection is kept for longer than a balancer keeps it', async () => {
    const other = createNotes({ server: { host: '127.0.0.1', port: 0 } })
    const { server } = await other.start({ signals: false })
    expect(server?.keepAliveTimeout).toBe(65_000)
    await other.stop()
  })
})
