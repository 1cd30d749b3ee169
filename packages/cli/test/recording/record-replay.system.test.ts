import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { startProxy } from '../../src/lib/recording/proxy.ts'
import { type Exchange } from '../../src/lib/recording/recording.ts'
import { createMasker } from '../../src/lib/recording/secrets.ts'
import { buildProgram } from '../built-modules.ts'
import { createTemporaryFolder, type Result, runProgram } from '../run-program.ts'
import { startService } from './service.ts'

// Sends requests through the proxy, one after the other; `send` and `text` are at hand.
const prelude = `import { request } from 'node:http'
const base = process.env.RECORD_URL
const send = (method, path, body, headers = {}) => new Promise((done, fail) => {
  const type = typeof body === 'object' && !Buffer.isBuffer(body) ? { 'content-type': 'application/json' } : {}
  const bytes = type['content-type'] ? JSON.stringify(body) : body
  const sent = request(base + path, { method, headers: { ...type, ...headers } }, (response) => {
    const chunks = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      let json
      try { json = JSON.parse(text) } catch {}
      done({ status: response.statusCode, headers: response.headers, json, text })
    })
    response.on('error', fail)
  })
  sent.on('error', fail)
  sent.end(bytes)
})
`

async function record(
  client: string,
  target: string,
  ...options: readonly string[]
): Promise<Result & { file: string; cwd: string }> {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'client.mjs'), prelude + client)
  const program = ['--', process.execPath, 'client.mjs']
  const args = ['record', '--target', target, '--port', '0', ...options, ...program]
  const result = await runProgram(createApiProgram, args, { cwd })
  return { ...result, cwd, file: join(cwd, 'recording.ndjson') }
}

function replay(file: string, args: readonly string[], env = {}): Promise<Result> {
  return runProgram(createApiProgram, ['replay', file, ...args], { cwd: '.', env })
}

function readExchanges(file: string): readonly Exchange[] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

const story = `
const login = await send('POST', '/login', { email: 'ada@example.com', password: 'correct horse' })
const authorization = 'Bearer ' + login.json.token
const [cookie] = login.headers['set-cookie'][0].split(';')
await send('GET', '/me', undefined, { authorization })
await send('GET', '/me', undefined, { cookie })
await send('GET', '/me?token=' + login.json.token)
const { json: { id, orderId } } = await send('POST', '/notes', { title: 'One' })
await send('POST', '/notes', { title: 'About ' + id, orderId })
await send('PATCH', '/notes/' + id, { title: 'Two' })
await send('GET', '/notes/' + id)
await send('GET', '/orders/' + orderId)
await send('GET', '/notes')
await send('GET', '/redirect')
await send('GET', '/page')
await send('DELETE', '/notes/' + id)
await send('GET', '/notes/' + id)
await send('GET', '/notes/5f0000000000000000000000')
`

const variables = { REPLAY_PASSWORD_1: 'correct horse' }

describe('api record', () => {
  it('writes requests and responses, with secrets masked', async () => {
    const { url } = await startService()
    const { code, file, stderr, stdout } = await record(story, url)
    expect(code).toBe(0)
    expect(stdout).toContain('15 requests, 3 secrets masked: recording.ndjson')
    expect(stderr).toBe('')
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain('correct horse')
    const [login, bearer, cookie, query] = readExchanges(file)
    expect(login?.request.body).toEqual({
      json: { email: 'ada@example.com', password: '{{password_1}}' },
    })
    expect(login?.response?.body).toEqual({ json: { token: '{{token_1}}', tokenType: 'Bearer' } })
    expect(login?.response?.headers).toContainEqual([
      'set-cookie',
      'sid={{cookie_sid_1}}; Path=/; HttpOnly',
    ])
    expect(bearer?.request.headers).toContainEqual(['authorization', 'Bearer {{token_1}}'])
    expect(cookie?.request.headers).toContainEqual(['cookie', 'sid={{cookie_sid_1}}'])
    expect(query?.request.path).toBe('/me?token={{token_1}}')
    expect(readExchanges(file).at(9)?.response?.body).toMatchObject({
      json: { data: [{ title: 'Two' }, {}] },
    })
  })

  it('masks named members, forms and parts, and keeps files and text', async () => {
    const { url } = await startService()
    const client = `
const form = (body) => send('POST', '/echo', body, { 'content-type': 'application/x-www-form-urlencoded' })
await form('user=ada&password=a+b%26c&note=1')
const part = (head, value) => '--x\\r\\ncontent-disposition: form-data; ' + head + '\\r\\n\\r\\n' + value + '\\r\\n'
const file = Buffer.from([0xff, 0xfe, 13, 10])
const body = Buffer.concat([Buffer.from(part('name="pin"', '1234') + '--x\\r\\ncontent-disposition: form-data; name="secret"; filename="a.bin"\\r\\n\\r\\n'), file, Buffer.from('\\r\\n--x--\\r\\n')])
await send('POST', '/echo', body, { 'content-type': 'multipart/form-data; boundary=x' })
await send('POST', '/echo', { user: { ssn: '1', email: 'x@y.z' }, pin: 42, tokenType: 'a', list: [{ code: 'b' }], empty: { password: '' } })
await send('POST', '/echo', '{"price":1.10,"big":12345678901234567890}', { 'content-type': 'application/json' })
await send('POST', '/echo', Buffer.from([0, 1, 255]))
`
    const more = ['--mask', 'ssn', '--mask', 'user.email', '--mask', '$.list[*].code']
    const { code, file } = await record(client, url, ...more)
    expect(code).toBe(0)
    const [form, multipart, json, digits, binary] = readExchanges(file).map(
      ({ request }) => request.body,
    )
    expect(form).toEqual({ text: 'user=ada&password={{password_1}}&note=1' })
    const parts = Buffer.from(String(Object(multipart).base64), 'base64').toString('latin1')
    expect(parts).toContain('name="pin"\r\n\r\n{{pin_1}}\r\n--x')
    expect(parts).toContain('filename="a.bin"\r\n\r\n\u00FF\u00FE\r\n\r\n')
    expect(json).toEqual({
      json: {
        user: { ssn: '{{ssn_1}}', email: '{{email_1}}' },
        pin: '{{#pin_2}}',
        tokenType: 'a',
        list: [{ code: '{{code_1}}' }],
        empty: { password: '' },
      },
    })
    expect(digits).toEqual({ text: '{"price":1.10,"big":12345678901234567890}' })
    expect(binary).toEqual({ base64: 'AAH/' })
    const env = { REPLAY_PASSWORD_1: 'a b&c', REPLAY_PIN_1: '1234', REPLAY_PIN_2: '42' }
    const other = { REPLAY_SSN_1: '1', REPLAY_EMAIL_1: 'x@y.z', REPLAY_CODE_1: 'b' }
    const { url: fresh } = await startService()
    const again = await replay(file, ['--target', fresh], { ...env, ...other })
    expect(again.stdout).toContain('5 same, 0 different, 0 failed')
  })

  it('decodes bodies to mask their secrets, and does not record those that it cannot decode', async () => {
    const { url } = await startService()
    const client = `
import { brotliCompressSync, gzipSync } from 'node:zlib'
const body = Buffer.from('{"password":"correct horse"}')
const post = (bytes, coding) => send('POST', '/echo', bytes, { 'content-type': 'application/json', 'content-encoding': coding })
await post(brotliCompressSync(gzipSync(body)), 'gzip, BR')
await post(body, 'identity')
await post(body, 'unknown')
await post(body, 'gzip')
`
    const { file } = await record(client, url)
    expect(readFileSync(file, 'utf8')).not.toContain('correct horse')
    expect(readExchanges(file).map(({ request }) => request.body)).toEqual([
      { json: { password: '{{password_1}}' } },
      { json: { password: '{{password_1}}' } },
      { omitted: 'unknown content encoding', bytes: 28 },
      { omitted: 'unknown content encoding', bytes: 28 },
    ])
  })

  it('keeps what is odd: paths, repeated headers, HEAD, streams, limits, aborted requests', async () => {
    const { received, url } = await startService()
    const client = `
import { connect } from 'node:net'
const { port } = new URL(base)
const raw = (bytes, wait = 200) => new Promise((done) => {
  let text = ''
  const socket = connect(port, '127.0.0.1').on('data', (chunk) => (text += chunk)).on('error', done)
  socket.write(Buffer.from(bytes, 'latin1'))
  setTimeout(() => { socket.destroy(); done(text) }, wait)
})
await send('HEAD', '/notes')
await send('GET', '/odd%20%C3%A4/%2F..//x?a=%00&a=b&&=')
await raw('GET http://127.0.0.1:9/absolute HTTP/1.1\\r\\nHost: other\\r\\nX-A: 1\\r\\nX-A: 2\\r\\nConnection: close\\r\\n\\r\\n')
await raw('POST /echo HTTP/1.1\\r\\nHost: x\\r\\nTransfer-Encoding: chunked\\r\\nConnection: close\\r\\n\\r\\n2\\r\\nab\\r\\n1\\r\\nc\\r\\n0\\r\\n\\r\\n')
await raw('GET /events HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
await raw('POST /echo HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 100\\r\\n\\r\\nhalf')
await send('GET', '/abort').catch(() => {})
await send('POST', '/echo', Buffer.alloc(3000, 97))
const many = Array.from({ length: 40 }, (_, n) => send('GET', '/echo?n=' + n))
await Promise.all(many)
`
    const { cwd, file, stderr } = await record(client, url, '--max-body', '2')
    expect(received).not.toContain('GET /elsewhere')
    const exchanges = readExchanges(file)
    const found = (path: string) => exchanges.find(({ request }) => request.path === path)
    expect(found('/notes')?.request.method).toBe('HEAD')
    expect(found('/notes')?.response).toEqual({ status: 404, headers: expect.any(Array) })
    expect(found('/odd%20%C3%A4/%2F..//x?a=%00&a=b&&=')?.response?.status).toBe(404)
    expect(found('/absolute')?.request.headers).toEqual([
      ['X-A', '1'],
      ['X-A', '2'],
    ])
    const echoed = exchanges.filter(({ request }) => request.path === '/echo')
    expect(echoed.map(({ failure, request }) => failure ?? request.body)).toEqual([
      { text: 'abc' },
      'the client has closed the connection',
      { omitted: 'too large', bytes: 3000 },
    ])
    expect(echoed[0]?.response?.headers.filter(([name]) => name === 'set-cookie')).toHaveLength(2)
    expect(found('/events')?.response?.body).toEqual({ omitted: 'event stream', bytes: 9 })
    expect(found('/abort')?.failure).toBe('the response is incomplete')
    expect(exchanges.filter(({ request }) => request.path.startsWith('/echo?n='))).toHaveLength(40)
    expect(stderr).toContain('2 requests without a complete response')
    const { url: fresh } = await startService()
    const again = await replay(join(cwd, 'recording.ndjson'), ['--target', fresh])
    expect(again.stderr.split('\n').toSorted()).toEqual([
      '',
      '  warning: 1 request skipped: body not recorded',
      '  warning: 1 request skipped: event stream',
      '  warning: 2 requests skipped: incomplete',
    ])
    expect(again.code).toBe(0)
  })

  it('returns 502 without a service, and rejects what it cannot use', async () => {
    const { code, file } = await record(
      `const { status, text } = await send('GET', '/'); process.exit(status === 502 && text.includes('does not respond') ? 7 : 1)`,
      'http://localhost:9',
    )
    expect(code).toBe(1)
    expect(readExchanges(file)).toEqual([])
    const { cwd, stderr } = await record('process.exit(7)', 'http://localhost:9')
    expect(stderr).toContain(`${process.execPath} ended with 7`)
    const run = (...args: readonly string[]) =>
      runProgram(createApiProgram, ['record', ...args], { cwd })
    expect((await run('--target', 'http://localhost:9')).stderr).toBe(
      'error: recording.ndjson exists\n  to replace it: --force\n',
    )
    expect((await run('--target', 'localhost:9')).stderr).toContain('is not a URL of a service')
    expect((await run('--target', 'http://a:b@c')).code).toBe(2)
    const absent = await run('--target', 'http://x.localhost', '--out', 'n', '--', './absent')
    expect(absent.stderr).toContain('./absent cannot be run')
    const { url } = await startService()
    const port = new URL(url).port
    const used = await run('--target', url, '--port', port, '--out', 'm')
    expect(used.stderr).toBe(`error: port ${port} is in use\n  choose another: --port\n`)
    expect((await run('--target', url, '--port', 'x')).stderr).toContain('Expected a port')
  })

  it('passes WebSockets on', async () => {
    const { createServer } = await import('node:http')
    const server = createServer().on('upgrade', (request, socket, head) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${request.url}`,
      )
      socket.write(head)
      socket.pipe(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const target = new URL(`http://127.0.0.1:${Object(server.address()).port}`)
    const proxy = await startProxy({
      target,
      port: 0,
      masker: createMasker([]),
      maxBody: 1,
      onExchange: () => undefined,
    })
    const socket = connect(proxy.port, '127.0.0.1')
    onTestFinished(() => void [socket.destroy(), server.close(), server.closeAllConnections()])
    socket.write(
      'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello',
    )
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    await expect.poll(() => text).toMatch(/101 Switching[^]*\/sockethello$/)
    socket.destroy()
    await proxy.close()
  })

  it('leaves a recording that can be read when it is killed', async () => {
    const { url } = await startService()
    const cwd = createTemporaryFolder()
    const options = ['record', '--target', url, '--port', '0']
    const child = spawn(process.execPath, [buildProgram(), ...options], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    child.stderr.on('data', (chunk) => (printed += chunk))
    await expect
      .poll(() => printed)
      .toMatch(
        /recording http:\/\/localhost:\d+ → http:\/\/localhost:\d+ in recording.ndjson; Ctrl/,
      )
    const base = /http:\/\/localhost:\d+/.exec(printed)?.[0]
    for (let n = 0; n < 20; n += 1) await (await fetch(`${base}/echo?n=${n}`)).text()
    const file = join(cwd, 'recording.ndjson')
    // A line is written after the response; the first one is the head of the file.
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length - 1).toBe(21)
    child.kill('SIGKILL')
    await once(child, 'close')
    const text = readFileSync(file, 'utf8')
    const { url: fresh } = await startService()
    expect((await replay(file, ['--target', fresh])).stdout).toContain('20 same, 0 different')
    writeFileSync(file, text.slice(0, -20))
    const cut = await replay(file, ['--target', fresh])
    expect(cut.stdout).toContain('19 same, 0 different')
    expect(cut.stderr).toContain('the last line of')
  })
})

describe('api replay', () => {
  it('finds no difference in the same service, with other ids, numbers, tokens and dates', async () => {
    const { file } = await record(story, (await startService()).url)
    const { received, url } = await startService()
    const { code, stdout } = await replay(file, ['--target', url], variables)
    expect(stdout).toContain('15 same, 0 different, 0 failed')
    expect(code).toBe(0)
    expect(received.filter((line) => line.includes('{{'))).toEqual([])
    const [first, second] = [await startService(), await startService()]
    const both = ['--target', first.url, '--against', second.url]
    expect((await replay(file, both, variables)).stdout).toContain('15 same, 0 different, 0 failed')
    const withoutIds = (line: string): string => line.replace(/[\da-f]{24}|\d+$|token=.*/, ':id')
    expect(first.received.map(withoutIds)).toEqual(second.received.map(withoutIds))
  })

  it('reports differences by route with the first one, and ignores what is named', async () => {
    const { file } = await record(story, (await startService()).url)
    const change = { note: (note: object) => ({ ...note, title: 'other' }), status: 200 }
    const run = async (...args: readonly string[]) => {
      const { url } = await startService(change)
      const { code, stdout } = await replay(file, ['--target', url, '--json', ...args], variables)
      return { code, ...JSON.parse(stdout) }
    }
    const output = await run()
    expect(output).toMatchObject({ code: 1, ok: false, command: 'replay', different: 7, failed: 0 })
    expect(output.routes).toContainEqual({
      route: 'POST /notes',
      same: 0,
      different: 2,
      failed: 0,
      first: { line: 6, at: 'status', left: '201', right: '200' },
    })
    expect(output.routes).toContainEqual(
      expect.objectContaining({
        route: 'GET /notes',
        first: { line: 11, at: 'body.data[0].title', left: '"Two"', right: '"other"' },
      }),
    )
    const ignored = ['--ignore', 'status', '--ignore', '**.title']
    expect(await run(...ignored)).toMatchObject({ code: 0, different: 0 })
    const { url } = await startService(change)
    const { stdout } = await replay(file, ['--target', url], variables)
    expect(stdout).toContain('POST /notes, line 6:\n  status is 200 instead of 201\n')
  })

  it('finds an id that refers to another document', async () => {
    const { file } = await record(story, (await startService()).url)
    let first: string | undefined
    // Each note has the id of the first one.
    const swap = (note: { id: string }) => ({ ...note, id: (first ??= note.id) })
    const { url } = await startService({ note: swap })
    const { stdout } = await replay(file, ['--target', url, '--json'], variables)
    expect(JSON.parse(stdout).routes).toContainEqual(
      expect.objectContaining({
        route: 'POST /notes',
        first: expect.objectContaining({ at: 'body.id' }),
      }),
    )
  })

  it('knows the id of a document that the other service returns in another form', async () => {
    const { file } = await record(story, (await startService()).url)
    const wrap = { note: ({ id, ...note }: { id: string }) => ({ data: { _id: id, ...note } }) }
    const { url } = await startService(wrap)
    const { stdout } = await replay(file, ['--target', url, '--json'], variables)
    expect(JSON.parse(stdout).routes).toContainEqual(
      expect.objectContaining({
        route: 'GET /notes/:id',
        same: 2,
        first: expect.objectContaining({ at: 'body.id' }),
      }),
    )
  })

  it('needs secrets, and confirmation for services on other computers, before it sends anything', async () => {
    const { file } = await record(story, (await startService()).url)
    const { received, url } = await startService()
    const missing = await replay(file, ['--target', url])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain(
      '1 secret of the recording must be set\n  REPLAY_PASSWORD_1  (line 2)\n',
    )
    const remote = await replay(file, ['--target', url, '--against', 'http://192.0.2.1'], variables)
    expect(remote.stderr).toBe(
      'error: 5 requests would change data of 192.0.2.1\n  to confirm: --yes\n',
    )
    expect(received).toEqual([])
    const dead = await replay(file, ['--target', 'http://localhost:9', '--timeout', '2'], variables)
    expect(dead.stdout).toContain('0 same, 0 different, 15 failed')
    expect(dead.code).toBe(1)
  })

  it.each([
    ['', 'is empty'],
    ['{}\n', 'is not a recording'],
    ['nonsense', 'is not a recording'],
    ['{"recording":2}\n', 'has version 2 of the format; this command reads 1'],
    ['{"recording":1}\nnonsense\n', 'line 2 is not a request with its response'],
    ['{"recording":1}\n{"request":null}\n', 'line 2 is not a request with its response'],
    ...[
      '{"method":"GET","path":"http://evil/","headers":[]}',
      '{"method":"GET","path":"/a b","headers":[]}',
      '{"method":"GET","path":"/a\\r\\nHost: x","headers":[]}',
      '{"method":"G\\r\\n","path":"/","headers":[]}',
      '{"method":"GET","path":"/","headers":[["a","b\\r\\nc: d"]]}',
      '{"method":"GET","path":"/","headers":[["a b","c"]]}',
      '{"method":"GET","path":"/","headers":{}}',
      '{"method":"GET","path":"/","headers":[],"body":{"base64":1}}',
    ].map((request) => [
      `{"recording":1}\n{"request":${request},"response":{"status":200,"headers":[]}}\n`,
      'line 2 is not a request with its response',
    ]),
  ])('rejects %j', async (text, message) => {
    const file = join(createTemporaryFolder(), 'r.ndjson')
    writeFileSync(file, text)
    const { received, url } = await startService()
    const { code, stderr } = await replay(file, ['--target', url])
    expect([code, received]).toEqual([2, []])
    expect(stderr).toContain(message)
  })

  it('compares text by line, bytes by digest, and other types of bodies', async () => {
    const cwd = createTemporaryFolder()
    const base = { method: 'POST', headers: [] }
    const response = { status: 200, headers: [] }
    const cases = [
      [{ text: 'a\nb' }, { text: 'a\nc' }, 'body[1] is "b" instead of "c"'],
      [{ base64: 'AP8=' }, { base64: 'Af8=' }, 'body is "2 bytes, SHA-256 06eb7d6a69ee" instead'],
      [{ text: 'a' }, { base64: 'AP8=' }, 'body is "a" instead of "2 bytes'],
      [{ text: 'a' }, undefined, 'body is {"text":"a"} instead of absent'],
    ] as const
    const lines = cases.map(([body, other], index) => ({
      request: { ...base, path: `/echo/${'abcd'[index]}`, body },
      response: { ...response, body: other },
    }))
    const file = join(cwd, 'r.ndjson')
    const all = [{ recording: 1 }, ...lines].map((line) => JSON.stringify(line))
    writeFileSync(file, all.join('\n'))
    const { url } = await startService()
    const own = ['--ignore', 'headers.content-type']
    const { stdout } = await replay(file, ['--target', url, ...own])
    for (const [, , message] of cases) expect(stdout).toContain(message)
    const header = await replay(file, [
      '--target',
      url,
      '--ignore',
      'body',
      '--header',
      'Set-Cookie',
      ...own,
    ])
    expect(header.stdout).toContain('headers.set-cookie is "a=1" instead of absent')
  })

  it('rejects a file that does not exist', async () => {
    const { stderr } = await replay('absent.ndjson', ['--target', 'http://localhost:9'])
    expect(stderr).toBe('error: absent.ndjson does not exist\n')
    expect(existsSync('absent.ndjson')).toBe(false)
  })
})

const runs = Number(process.env['RECORDED_RUNS'] ?? 12)

describe('random traffic', () => {
  it(`has no differences when it is replayed to the same service, ${runs} times`, async () => {
    for (let seed = 1; seed <= runs; seed += 1) {
      const { file } = await record(randomClient(seed), (await startService()).url)
      const { url } = await startService()
      const { stdout } = await replay(file, ['--target', url], variables)
      expect([seed, stdout]).toEqual([
        seed,
        expect.stringMatching(/^\d+ same, 0 different, 0 failed$/m),
      ])
    }
  })
})

function randomClient(seed: number): string {
  return `
let state = ${seed} * 7919
const random = (max) => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % max)
const ids = ['5f0000000000000000000000', 'none', '%C3%A9', '12']
const values = ['a', '', 'ü', 1, 1.5, null, true, [], {}, [1, { a: [] }], 'x'.repeat(50), '{{no}}', '2020-01-01T00:00:00Z', { __proto__: null, id: 3 }]
let token = 'none'
const steps = [
  async () => { token = (await send('POST', '/login', { password: 'correct horse' })).json.token },
  () => send('GET', '/me', undefined, { authorization: 'Bearer ' + token }),
  async () => { ids.push((await send('POST', '/notes', { title: values[random(values.length)] })).json.id) },
  () => send('GET', '/notes/' + ids[random(ids.length)]),
  () => send('PATCH', '/notes/' + ids[random(ids.length)], { title: ids[random(ids.length)] }),
  () => send('DELETE', '/notes/' + ids[random(ids.length)]),
  () => send('GET', '/notes'),
  () => send('GET', '/page?about=' + ids[random(ids.length)]),
  () => send('POST', '/echo/' + ids[random(ids.length)], values[random(values.length)] ?? {}, { 'content-type': 'application/json' }).catch(() => {}),
]
await steps[0]()
for (let step = 0; step < 25; step += 1) await steps[random(steps.length)]()
`
}
