import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { measureGrowth } from '../../../../../test/measure-growth.ts'
import { createLineSink, toLineSink } from './line-sink.ts'
import { createLogger, type LoggerOptions } from './create-logger.ts'
import { redactText, redactUrl } from './redact.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'line-sink-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function written(
  options: LoggerOptions,
  work: (logger: ReturnType<typeof createLogger>) => void,
): Promise<string[]> {
  let text = ''
  const logger = createLogger({ ...options, stream: { write: (part) => void (text += part) } })
  work(logger)
  await logger.flush()
  return text.split('\n').slice(0, -1)
}

describe('createLogger', () => {
  it('writes one JSON object for each line', async () => {
    const lines = await written({}, (logger) => {
      logger.info({ requestId: 'r1' }, 'started')
      logger.warn({}, 'a\nb "c" \u2028')
    })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', time: expect.any(String), requestId: 'r1', msg: 'started' },
      { level: 'warn', time: expect.any(String), msg: 'a\nb "c" \u2028' },
    ])
  })

  it('omits lines below its level', async () => {
    const all = (logger: ReturnType<typeof createLogger>): void => {
      for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const)
        logger[level]({}, level)
    }
    expect(await written({ level: 'debug' }, all)).toHaveLength(5)
    expect(await written({ level: 'error' }, all)).toHaveLength(2)
    expect(await written({ level: 'silent' }, all)).toHaveLength(0)
  })

  it('logs an error with its causes and no other properties', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      topology: 'x',
    })
    const [line = ''] = await written({}, (logger) => {
      logger.error({ err: new TypeError('failed', { cause }) }, 'request failed')
    })
    const { err } = JSON.parse(line)
    expect(err).toMatchObject({
      type: 'TypeError',
      message: 'failed',
      stack: expect.stringContaining('at '),
    })
    expect(err.cause).toMatchObject({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' })
    expect(err.cause).not.toHaveProperty('topology')
  })

  it('survives circular causes, cycles and values that JSON does not support', async () => {
    const error = new Error('loop')
    error.cause = error
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const lines = await written({}, (logger) => {
      logger.error({ err: error }, 'one')
      logger.error(cycle, 'two')
      logger.error({ big: 1n, fn: () => {} }, 'three')
      logger.error({ err: 'text' }, 'four')
    })
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('LGG-01 redacts credentials and tokens in any field', async () => {
    const err = new Error('cannot reach mongodb://user:hunter2@db.internal/app')
    for (const format of ['json', 'text'] as const) {
      const lines = await written({ format }, (logger) => {
        logger.error({ err, note: 'Bearer eyJhbGciOi.eyJodW50ZXIy.c2ln' }, 'failed')
      })
      expect(lines.join('\n')).not.toMatch(/hunter2|eyJodW50ZXIy/)
      expect(lines.join('\n')).toContain('db.internal')
    }
  })

  it('LGG-01 redacts fields named like secrets at any depth', async () => {
    const lines = await written({}, (logger) => {
      logger.info(
        { password: 'hunter2', user: { refreshToken: 'hunter2', name: 'Ada' }, list: ['hunter1'] },
        'Bearer eyJhbGciOi.eyJodW50ZXIy.c2ln',
      )
      logger.info({ headers: { authorization: 'hunter2', cookie: 'hunter2', accept: 'a' } }, 'two')
    })
    expect(lines.join()).not.toMatch(/hunter2|eyJodW50ZXIy/)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { password: '[redacted]', user: { name: 'Ada' }, list: ['hunter1'] },
      { headers: { accept: 'a' } },
    ])
  })

  it('writes values that JSON does not support, and values with toJSON', async () => {
    const broken = {
      get field() {
        throw new Error('bug')
      },
    }
    const lines = await written({}, (logger) => {
      logger.info({ big: 1n, at: new Date(0), list: [1, null, undefined] }, 'one')
      logger.info(broken, 'two')
    })
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { big: '1', at: '1970-01-01T00:00:00.000Z', list: [1, null, null], msg: 'one' },
      { msg: 'two' },
    ])
  })

  it('writes text for a terminal', async () => {
    const err = new Error('outer', { cause: new Error('inner') })
    const lines = await written({ format: 'text' }, (logger) => {
      logger.info({ port: 3000 }, 'listening')
      logger.error({ err }, 'failed')
    })
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d INFO listening port=3000$/)
    expect(lines[1]).toMatch(/ERROR failed$/)
    expect(lines[2]).toBe('Error: outer')
    expect(lines).toContain('caused by Error: inner')
  })

  it('writes no control characters to a terminal', async () => {
    const hostile = 'a\u001B[2Jb\u009B1A\rc\u202E\u2066\u0007'
    const lines = await written({ format: 'text' }, (logger) => {
      logger.info({ value: hostile, [hostile]: 1 }, hostile)
      logger.error({ err: new Error(hostile) }, 'failed')
      logger.error({ err: hostile }, 'failed')
    })
    const text = lines.join('\n')
    expect(text).toContain(String.raw`Error: a\u001b[2Jb\u009b1A\u000dc\u202e\u2066\u0007`)
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u)
  })
})

describe.concurrent('createLineSink', () => {
  it('writes to a stream line by line', async () => {
    const writes: string[] = []
    const sink = toLineSink({ write: (text) => void writes.push(text) })
    sink.write('one')
    sink.write('two')
    expect(writes).toEqual(['one\n', 'two\n'])
  })

  it('collects lines, and writes them at 16 KB or after 200 ms', async () => {
    const file = path.join(folder, 'batches.log')
    const sink = createLineSink(openSync(file, 'w'))
    sink.write('one')
    sink.write('two')
    expect(readFileSync(file, 'utf8')).toBe('')
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    sink.write('x'.repeat(16_384))
    expect(statSync(file).size).toBe(8 + 16_385)
  })

  it.each([
    ['a socket', undefined],
    ['a pipe', '| (sleep 5; cat)'],
  ] as const)('counts the lines that it drops while %s is not read', async (_name, output) => {
    const child = start(
      `const sink = toLineSink()
      for (let index = 0; index < 60_000; index++) sink.write('line '.padEnd(300, 'x'))
      process.stderr.write('full')
      await sink.flush()`,
      output,
    )
    const [note] = await once(child.stderr, 'data')
    expect(String(note)).toBe('full')
    const text = await readAll(child)
    const lines = text.split('\n').slice(0, -1)
    const kept = lines.filter((line) => line.startsWith('line'))
    const { msg, count } = JSON.parse(lines.at(-1) ?? '')
    expect(msg).toBe('log lines dropped')
    expect(kept.length).toBeGreaterThan(20_000)
    expect(kept.length + count).toBe(60_000)
  })

  const outputs = [
    ['a socket', undefined],
    ['a pipe', '| cat'],
    ['a file', '> $$.log; cat $$.log'],
  ] as const

  it.each(outputs)(
    'loses no line to %s when the process exits, fails or finishes',
    async (_name, output) => {
      const endings = ['', 'process.exit(3)', "throw new Error('bug')"].map((ending) =>
        run(
          `const sink = toLineSink()
        for (let index = 0; index < 500; index++) sink.write('line ' + index)
        ${ending}`,
          output,
        ),
      )
      for (const text of await Promise.all(endings)) {
        expect(text.split('\n').filter((line) => line.startsWith('line'))).toHaveLength(500)
        expect(text).toContain('line 499')
      }
    },
  )

  it.each(outputs)(
    'keeps the order of lines to %s when the process exits',
    async (_name, output) => {
      const text = await run(
        `const sink = toLineSink()
      for (let index = 0; index < 5000; index++) sink.write('line ' + index)
      process.exit(0)`,
        output,
      )
      expect(text).toBe(Array.from({ length: 5000 }, (_item, index) => `line ${index}\n`).join(''))
    },
  )

  it.each([
    ['a socket', undefined],
    ['a pipe', '| sleep 5'],
  ] as const)('F-16 neither blocks nor grows while %s is not read', async (_name, output) => {
    const child = start(
      `
      const sink = toLineSink()
      let most = 0
      let last = performance.now()
      const timer = setInterval(() => {
        for (let index = 0; index < 200; index++) sink.write('x'.repeat(1000))
        most = Math.max(most, performance.now() - last)
        last = performance.now()
      }, 10)
      setTimeout(() => {
        clearInterval(timer)
        process.stderr.write(JSON.stringify({ most, rss: process.memoryUsage().rss }))
        process.exit(0)
      }, 2000)`,
      output,
    )
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    await expect.poll(() => errors).toContain('rss')
    const { most, rss } = JSON.parse(errors) as { most: number; rss: number }
    // A write that blocks ends with the reader of the pipe.
    expect(most).toBeLessThan(4000)
    expect(rss).toBeLessThan(250_000_000)
    child.stdout.resume()
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
  })
})

describe('redaction', () => {
  it.each([
    ['/a', '/a'],
    ['/a?page=1&sort=-x', '/a?page=1&sort=-x'],
    ['/a?token=x&page=1', '/a?token=[redacted]&page=1'],
    ['/a?refresh_token=x', '/a?refresh_token=[redacted]'],
    ['/a?Password=x', '/a?Password=[redacted]'],
    ['/a?api-key=x&code=y&state=z', '/a?api-key=[redacted]&code=[redacted]&state=[redacted]'],
    ['/a?page=1&code=y', '/a?page=1&code=[redacted]'],
    ['/a?KEY=x', '/a?KEY=[redacted]'],
    ['/a?%6bey=x', '/a?%6bey=[redacted]'],
    ['/a?monkey=x&page=1', '/a?monkey=x&page=1'],
    ['/a?filter[token]=x', '/a?filter[token]=[redacted]'],
    ['/a?%E0%A4%A=x&flag', '/a?%E0%A4%A=x&flag'],
    ['/reset/eyJhbGciOi.eyJzdWIi.c2ln', '/reset/[redacted]'],
    ['/a?x=rt1.abc.1.def', '/a?x=[redacted]'],
  ])('LGG-01 redacts %s to %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected)
  })

  it.each(['eyJ', '://', 'rt1.', '?token='])(
    'VAL-14 redacts many %s in time that grows with their length',
    async (part) => {
      const redact = (length: number): void => {
        const text = part.repeat(length / part.length)
        redactUrl(text)
        redactText(text)
      }
      expect(await measureGrowth(redact, 250_000)).toBeLessThan(10)
    },
  )
})

// Where the output goes is written for a shell; what a parent reads directly is a socket.
function start(
  code: string,
  output?: string,
): ReturnType<typeof spawn> & {
  stdout: NodeJS.ReadableStream
  stderr: NodeJS.ReadableStream
} {
  const sink = JSON.stringify(path.join(import.meta.dirname, 'line-sink.ts'))
  const source = `import { toLineSink } from ${sink}\n${code}`
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', source]
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  if (output === undefined) return spawn(process.execPath, args, { stdio: [...stdio] })
  const shell = ['-c', `"$0" "$@" ${output}`, process.execPath, ...args]
  return spawn('sh', shell, { cwd: folder, stdio: [...stdio] })
}

async function run(code: string, output?: string): Promise<string> {
  return readAll(start(code, output))
}

async function readAll(child: ReturnType<typeof start>): Promise<string> {
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  await once(child, 'close')
  return text
}
