import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forkSource, nextMessage } from '../fork-source.ts'

// UPLOAD_MB=1024 sends 1 GB.
const megabytes = Number(process.env['UPLOAD_MB'] ?? 100)
const head = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const end = '\r\n--X--\r\n'
let directory: string
let service: ChildProcess
let url: string

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'large-uploads-'))
  service = forkSource(path.join(import.meta.dirname, 'upload.process.ts'), [directory])
  ;({ url } = (await nextMessage(service)) as { url: string })
})

afterEach(async () => {
  service.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

describe('a large upload', () => {
  it(
    `of ${megabytes} MB is written with less than 75 MB more memory`,
    { timeout: 600_000 },
    async () => {
      // What is loaded once, and as many buffers as wait for the garbage collector.
      await upload(64)
      const before = await readMemory()
      const progress = upload(megabytes)
      let highest = 0
      const state = { isDone: false }
      void progress.finally(() => (state.isDone = true))
      while (!state.isDone) {
        highest = Math.max(highest, await readMemory())
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(await progress).toEqual({ data: { size: megabytes * 1024 * 1024 } })
      const grown = (highest - before) / 1024 / 1024
      if (process.env['UPLOAD_MB'])
        process.stdout.write(`${megabytes} MB: +${grown.toFixed(1)} MB\n`)
      // A file that is kept takes all of its size; how much waits for the garbage collector depends on the load.
      expect(grown).toBeLessThan(75)
      await expect.poll(() => readdir(directory)).toEqual([])
    },
  )

  it('finishes when the service shuts down meanwhile', async () => {
    const req = start()
    req.write(head + 'a'.repeat(70_000))
    await expect.poll(async () => (await readdir(directory)).length).toBe(1)
    service.kill('SIGTERM')
    const isOpen = (): Promise<boolean> => fetch(url).then(Boolean, () => false)
    await expect.poll(isOpen).toBe(false)
    const received = read(req)
    req.end('b'.repeat(1000) + end)
    expect(await received).toEqual({ data: { size: 71_000 } })
    await once(service, 'exit')
    expect(await readdir(directory)).toEqual([])
  })

  it('leaves no file when the service is cut at its deadline', async () => {
    const req = start()
    req.on('error', () => {})
    req.write(head + 'a'.repeat(70_000))
    await expect.poll(async () => (await readdir(directory)).length).toBe(1)
    service.kill('SIGTERM')
    const [code] = await once(service, 'exit')
    expect([code, await readdir(directory)]).toEqual([1, []])
  })

  it('leaves no file when the process exits before the response', async () => {
    const req = start()
    req.on('error', () => {})
    req.end(`${head}small${end}`)
    await expect.poll(async () => (await readdir(directory)).length).toBe(1)
    service.kill('SIGTERM')
    // The second one ends the process at once.
    await new Promise((resolve) => setTimeout(resolve, 200))
    service.kill('SIGTERM')
    await once(service, 'exit')
    expect(await readdir(directory)).toEqual([])
  })
})

function start(): http.ClientRequest {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=X' }
  return http.request(`${url}/api/files`, { method: 'POST', agent: false, headers })
}

async function upload(size: number): Promise<unknown> {
  const req = start()
  const received = read(req)
  req.write(head)
  const chunk = Buffer.alloc(1024 * 1024, 'a')
  for (let sent = 0; sent < size; sent++) {
    if (!req.write(chunk)) await once(req, 'drain')
  }
  req.end(end)
  return received
}

async function read(req: http.ClientRequest): Promise<unknown> {
  const [res] = (await once(req, 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

async function readMemory(): Promise<number> {
  service.send('memory')
  return Number(await nextMessage(service))
}
