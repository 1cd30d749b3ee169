import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A proxy in front of a service, to hurt the way between; it also serves the page that calls the service. */
export interface FaultProxy {
  readonly url: string
  /** Counts the requests for a path so far, the lost ones included. */
  count(path: string): number
  /** Requests and responses that were lost so far. */
  readonly lost: number
  /** Forwards to another address from now on. */
  forwardTo(url: string): void
  /**
   * Loses a share of the requests on their way there and the same share of the responses on their way
   * back; of some responses a part arrives.
   * @param share - 0 for none
   * @param seed - the same seed loses the same requests, if they come in the same order
   */
  lose(share: number, seed?: number): void
  /**
   * Holds the next response for a path.
   * @param path - of the request
   * @returns once the service has sent that response: a function that lets it pass
   */
  hold(path: string): Promise<() => void>
  stop(): Promise<void>
}

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly content: string
}

/**
 * Starts a proxy.
 * @param target - URL of the service
 * @param files - of the page, by path
 * @returns the proxy
 */
export async function startFaultProxy(
  target: string,
  files: Readonly<Record<string, PageFile>> = {},
): Promise<FaultProxy> {
  const requests: string[] = []
  const held = new Map<string, (release: () => void) => void>()
  let upstream = target
  let lost = 0
  let loses = never

  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '/'
    requests.push(path)
    const body = await buffer(req)
    if (loses()) return drop(res)
    const response = await send(upstream, req, body)
    const content = await buffer(response)
    const onHeld = held.get(path)
    if (onHeld) {
      held.delete(path)
      await new Promise<void>((release) => onHeld(release))
    }
    // On a new connection browsers do not repeat a request on their own.
    res.writeHead(response.statusCode ?? 502, { ...response.headers, connection: 'close' })
    if (!loses()) {
      res.end(content)
      return
    }
    if (lost % 3 === 0 && content.length > 1) res.write(content.subarray(0, content.length / 2))
    drop(res)
  }

  function drop(res: ServerResponse): void {
    lost += 1
    res.socket?.destroy()
  }

  const server = createServer((req, res) => {
    const file = files[req.url ?? '']
    if (file) res.writeHead(200, { 'content-type': file.type }).end(file.content)
    else forward(req, res).catch(() => res.socket?.destroy())
  })
  return {
    // The name, because browsers accept Secure cookies from it without TLS.
    url: `http://localhost:${await listen(server)}`,
    count: (path) => requests.filter((other) => other === path).length,
    get lost() {
      return lost
    },
    forwardTo(url) {
      upstream = url
    },
    lose(share, seed = 1) {
      const random = createRandom(seed)
      loses = () => random() < share
    },
    hold: (path) => new Promise((resolve) => held.set(path, resolve)),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  return (server.address() as AddressInfo).port
}

const never = (): boolean => false

async function send(base: string, req: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const forwarded = request(new URL(req.url ?? '/', base), {
    method: req.method,
    headers: { ...req.headers, connection: 'close' },
  })
  forwarded.end(body)
  const [response] = await once(forwarded, 'response')
  return response
}

// mulberry32
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
