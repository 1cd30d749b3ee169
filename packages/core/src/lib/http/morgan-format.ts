import { createRequire } from 'node:module'
import { type Request, type Response } from 'express'
import type morgan from 'morgan'
import { toClientAddress } from '../address/client-address.ts'
import { redactText, redactUrl } from '../logging/redact.ts'

/** Formats the line of one request. */
export interface LineFormat {
  (req: Request, res: Response, started: number): string
}

type Token = (req: Request, res: Response, argument?: string) => string | undefined

// Compiles a format of morgan, a name such as `dev` or a format string, with secrets redacted. Throws
// for an unknown name or token, and where code generation from strings is disabled.
export function compileFormat(format: string): LineFormat {
  const morgan = loadMorgan(format)
  const known: unknown = format === 'default' ? undefined : Reflect.get(morgan, format)
  // Formats and tokens share one namespace in morgan; of the functions only `dev` is a format.
  const source = typeof known === 'string' || format === 'dev' ? known : format
  const tokens = { ...ownTokens(morgan), ...safeTokens(morgan) }
  if (typeof source === 'string') requireTokens(source, tokens)
  const write: unknown = typeof source === 'string' ? morgan.compile(source) : source
  if (typeof write !== 'function') throw unknownFormat(format)
  return (req, res, started) => {
    // morgan's tokens read times and address from these.
    const [seconds, nanoseconds] = process.hrtime()
    const elapsed = (performance.now() - started) / 1000
    Object.assign(req, {
      _startAt: [seconds - elapsed, nanoseconds],
      _remoteAddress: toClientAddress(req),
    })
    Object.assign(res, { _startAt: [seconds, nanoseconds] })
    return String(Reflect.apply(write, undefined, [tokens, req, res]))
  }
}

const requirePackage = createRequire(import.meta.url)

// Loaded on demand: morgan generates functions from strings, some of them when it is loaded (with
// NO_COLOR), others when the first line is written.
function loadMorgan(format: string): typeof morgan {
  try {
    const loaded: typeof morgan = requirePackage('morgan')
    // Fails now, not with the first line.
    loaded.compile('')
    return loaded
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    throw new TypeError(
      `log format ${format}: morgan generates code from strings, which this process does not allow. Use json: ACCESS_LOG=json`,
      { cause: error },
    )
  }
}

function ownTokens(from: typeof morgan): Record<string, unknown> {
  // Reading `default` prints a deprecation.
  const names = Object.keys(from).filter((name) => name !== 'default')
  return Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]))
}

// morgan's tokens that can show a secret. The originals get the redacted value, so their escaping
// still applies.
function safeTokens(from: typeof morgan): Readonly<Record<string, Token>> {
  function call(name: string, ...args: unknown[]): string | undefined {
    const token: unknown = Reflect.get(from, name)
    const value: unknown =
      typeof token === 'function' ? Reflect.apply(token, from, args) : undefined
    // A header can be a number.
    return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
  }
  return {
    url: (req) => call('url', { originalUrl: redactUrl(req.originalUrl) }),
    referrer: (req) => call('referrer', { headers: { referer: redact(req.headers.referer) } }),
    'user-agent': (req, res) => redact(call('user-agent', req, res)),
    req: (req, res, name = '') =>
      isSecretHeader(name) ? '[redacted]' : redact(call('req', req, res, name)),
    res: (req, res, name = '') =>
      isSecretHeader(name) ? '[redacted]' : redact(call('res', req, res, name)),
  }
}

function redact(value: string | undefined): string | undefined {
  return value === undefined ? undefined : redactText(redactUrl(value))
}

function isSecretHeader(name: string): boolean {
  return /authorization|cookie|token|secret|api[-_]?key/i.test(name)
}

function requireTokens(format: string, tokens: Readonly<Record<string, unknown>>): void {
  const used = [...format.matchAll(/:([-\w]{2,})(?:\[[^\]]+\])?/g)].map(([, name = '']) => name)
  // Without a token it is a misspelled name, and each line would be that word.
  if (used.length === 0) throw unknownFormat(format)
  const unknown = used.find((name) => typeof tokens[name] !== 'function')
  if (unknown !== undefined) throw new TypeError(`log format: morgan has no token :${unknown}.`)
}

function unknownFormat(format: string): TypeError {
  return new TypeError(
    `log format "${format}" is unknown. Use json, combined, common, dev, short, tiny or a text with tokens such as :method`,
  )
}
