import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAddressRules } from '../src/lib/network/address-rules.ts'
import { type ResponseHead, sendRequest } from '../src/lib/network/send-request.ts'
import { RefusedTarget, resolveBySystem, type TargetRules } from '../src/lib/network/target.ts'
import { type Receiver, startReceiver } from './receiver.ts'

// It listens on every address of this machine.
let inner: Receiver
let outer: Receiver

beforeAll(async () => {
  inner = await startReceiver('::')
  outer = await startReceiver()
})

const strict: TargetRules = {
  isAllowed: createAddressRules(),
  allowHttp: true,
  resolve: resolveBySystem,
}
const local = { ...strict, isAllowed: createAddressRules(['127.0.0.1/32']) }

function send(url: string, rules = strict, timeoutMs = 5000): Promise<ResponseHead> {
  const { signal } = new AbortController()
  return sendRequest({ url, headers: {}, body: '{}' }, { rules, timeoutMs, signal })
}

const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  hostname(),
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[5f00::1]',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '0xa9fea9fe',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

describe('addresses that are not public', () => {
  it.each(hosts)('no request to %s leaves', async (host) => {
    await expect(send(`http://${host}:${inner.port}/`)).rejects.toThrow()
    expect(inner.connections()).toBe(0)
  })

  it('they are refused and not only out of reach', async () => {
    // Names that no resolver knows fail by its error.
    const literals = hosts.filter((host) => /^[\d[０-９%①]/u.test(host))
    expect(literals.length).toBeGreaterThan(40)
    for (const host of literals) {
      await expect(send(`http://${host}:${inner.port}/`)).rejects.toThrow(RefusedTarget)
    }
  })

  it.each([
    ['http://example.com@127.0.0.1/', 'user name'],
    ['http://127.0.0.1#@example.com/', 'public'],
    ['ftp://127.0.0.1/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['gopher://127.0.0.1/', 'https://'],
    ['http://[fe80::1%25lo]/', 'URL'],
    ['http:///', 'URL'],
    ['//127.0.0.1/', 'URL'],
  ])('%s is refused', async (url, reason) => {
    await expect(send(url)).rejects.toThrow(reason)
  })

  it('http:// is refused by default', async () => {
    const rules = { ...strict, allowHttp: false }
    await expect(send('http://example.com/', rules)).rejects.toThrow('must begin with https://')
  })

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:80b::200e'])(
    '%s is public',
    (address) => {
      expect(strict.isAllowed(address)).toBe(true)
    },
  )

  it('a network that is not valid is named', () => {
    for (const network of ['127.0.0.1', '127.0.0.0/33', 'localhost/8', '::1/129']) {
      expect(() => createAddressRules([network])).toThrow(network)
    }
  })
})

describe('names', () => {
  it('one private address among public ones is enough', async () => {
    const rules = { ...strict, resolve: async () => ['8.8.8.8', '127.0.0.1'] }
    await expect(send(`http://rebind.example:${inner.port}/`, rules)).rejects.toThrow(RefusedTarget)
    expect(inner.connections()).toBe(0)
  })

  it.each(['fe80::1%lo', '::ffff:127.0.0.1', 'nonsense', ''])(
    'the address %j is refused',
    async (address) => {
      const rules = { ...strict, resolve: async () => [address] }
      await expect(send('http://rebind.example/', rules)).rejects.toThrow(RefusedTarget)
    },
  )

  it('a name without an address is refused', async () => {
    const rules = { ...strict, resolve: async () => [] }
    await expect(send('http://rebind.example/', rules)).rejects.toThrow(RefusedTarget)
  })

  it('the request goes to the address that was checked, without resolving again', async () => {
    let count = 0
    const resolve = async (): Promise<string[]> => {
      count += 1
      return [count === 1 ? '127.0.0.1' : '::1']
    }
    const url = `http://rebind.invalid:${outer.port}/`
    expect(await send(url, { ...local, resolve })).toMatchObject({ status: 204 })
    expect(count).toBe(1)
    expect(outer.received.at(-1)?.headers['host']).toBe(`rebind.invalid:${outer.port}`)
  })

  it('a name that takes too long fails at the timeout', async () => {
    const rules = { ...strict, resolve: () => new Promise<string[]>(() => {}) }
    await expect(send('http://slow.example/', rules, 100)).rejects.toThrow('within 0.1 s')
  })

  it('a proxy in the environment is not used', async () => {
    process.env['HTTP_PROXY'] = `http://127.0.0.1:${inner.port}`
    process.env['NODE_USE_ENV_PROXY'] = '1'
    try {
      expect(await send(outer.url, local)).toMatchObject({ status: 204 })
      expect(inner.connections()).toBe(0)
    } finally {
      delete process.env['HTTP_PROXY']
      delete process.env['NODE_USE_ENV_PROXY']
    }
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254']) {
      outer.respond = (_req, res) => {
        res.writeHead(status, { location: `http://${host}:${inner.port}/` }).end()
      }
      expect(await send(outer.url, local)).toMatchObject({ status })
    }
    expect(inner.connections()).toBe(0)
  })
})

describe('receivers that misbehave', () => {
  const megabyte = Buffer.alloc(1024 * 1024)

  async function startRaw(onConnection: (socket: Socket) => void): Promise<[string, Server]> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      onConnection(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return [`http://127.0.0.1:${Object(server.address()).port}/`, server]
  }

  it('one that hangs fails at the timeout', async () => {
    const [url, server] = await startRaw(() => {})
    await expect(send(url, local, 200)).rejects.toThrow('within 0.2 s')
    server.close()
  })

  it('one that trickles its head fails at the timeout', async () => {
    const [url, server] = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: ')
      const timer = setInterval(() => socket.write('a'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await expect(send(url, local, 300)).rejects.toThrow('within 0.3 s')
    server.close()
  })

  it('one that trickles its body is left after a second', async () => {
    const [url, server] = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      const timer = setInterval(() => socket.write('a'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await send(url, local, 3_600_000)).toMatchObject({ status: 200 })
    server.close()
  })

  it('of 100 MB, little is read', async () => {
    let connection: Socket | undefined
    const [url, server] = await startRaw((socket) => {
      connection = socket
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * megabyte.length}\r\n\r\n`)
      let left = 100
      const write = (): void => {
        while (left > 0 && !socket.destroyed) {
          left -= 1
          if (!socket.write(megabyte)) {
            socket.once('drain', write)
            return
          }
        }
      }
      write()
    })
    expect(await send(url, local)).toMatchObject({ status: 200 })
    // The rest is in the buffers of the sockets.
    expect((connection?.bytesWritten ?? 0) - (connection?.writableLength ?? 0)).toBeLessThan(
      16 * megabyte.length,
    )
    server.close()
  })

  it('a head that is too large is an error', async () => {
    const [url, server] = await startRaw((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`)
    })
    await expect(send(url, local)).rejects.toThrow()
    server.close()
  })

  it('a response that is not HTTP is an error', async () => {
    const [url, server] = await startRaw((socket) => socket.end('220 mail.example ESMTP\r\n'))
    await expect(send(url, local)).rejects.toThrow()
    server.close()
  })

  it('one that closes the connection is an error', async () => {
    const [url, server] = await startRaw((socket) => socket.destroy())
    await expect(send(url, local)).rejects.toThrow()
    server.close()
  })

  it('the signal of the caller ends the request', async () => {
    const [url, server] = await startRaw(() => {})
    const signal = AbortSignal.timeout(50)
    const request = { url, headers: {}, body: '{}' }
    await expect(sendRequest(request, { rules: local, timeoutMs: 5000, signal })).rejects.toThrow(
      'aborted',
    )
    server.close()
  })
})
