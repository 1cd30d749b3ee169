import { mkdtemp, readdir, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Api, createApi, createRegistry, createRouter, type Route } from '@create-api/core'

/** A running service, and the folder of its temporary files. */
export interface UploadService {
  readonly api: Api
  readonly url: string
  readonly directory: string
  /** What has been logged. */
  readonly log: string[]
  files(): Promise<string[]>
  stop(): Promise<void>
}

export async function startUploads(
  toRoutes: (directory: string) => readonly Route[],
): Promise<UploadService> {
  const directory = await mkdtemp(path.join(tmpdir(), 'upload-test-'))
  const log: string[] = []
  const api = createApi({
    routes: createRegistry().use('/api/files', createRouter(toRoutes(directory))),
    environment: 'test',
    auth: false,
    database: false,
    rateLimit: false,
    accessLog: { format: false },
    log: { level: 'warn', format: 'json', stream: { write: (line) => void log.push(line) } },
  })
  const { url } = await api.start({ port: 0, signals: false })
  return {
    api,
    url,
    directory,
    log,
    files: () => readdir(directory),
    async stop() {
      await api.stop()
      await rm(directory, { recursive: true })
    },
  }
}

/** A response, read to its end. */
export interface Received {
  readonly status: number
  readonly type: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  readonly body: any
}

/** Sends bytes as they are: at once, or in pieces. */
export function send(
  url: string,
  body: string | Buffer,
  headers: http.OutgoingHttpHeaders = {},
  pieceSize = Infinity,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: {
        'Content-Type': 'multipart/form-data; boundary=X',
        ...('Transfer-Encoding' in headers ? {} : { 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      },
    }
    const req = http.request(`${url}/api/files`, options, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: res.statusCode ?? 0,
          type: res.headers['content-type'],
          body: text === '' ? undefined : JSON.parse(text),
        })
      })
    })
    req.on('error', reject)
    void write(req, Buffer.from(body), pieceSize)
  })
}

async function write(req: http.ClientRequest, bytes: Buffer, pieceSize: number): Promise<void> {
  req.setNoDelay(true)
  let isAnswered = false
  req.once('response', () => (isAnswered = true))
  for (let start = 0; pieceSize < bytes.length && start < bytes.length; start += pieceSize) {
    req.write(bytes.subarray(start, start + pieceSize))
    await new Promise((resolve) => setImmediate(resolve))
    if (isAnswered) return
  }
  req.end(pieceSize < bytes.length ? undefined : bytes)
}

/** Waits until nothing is left of an upload. */
export async function untilEmpty(service: UploadService): Promise<void> {
  const deadline = performance.now() + 60_000
  while ((await service.files()).length > 0) {
    if (performance.now() > deadline) throw new Error(`left: ${String(await service.files())}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
