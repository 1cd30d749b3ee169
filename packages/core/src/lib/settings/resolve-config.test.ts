import cluster from 'node:cluster'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { MemoryStore } from 'express-rate-limit'
import { describe, expect, it } from 'vitest'
import { type SigningKey } from '../auth/tokens/keys.ts'
import { defineAuthenticator } from '../auth/service/define-authenticator.ts'
import { createRegistry } from '../routing/registry.ts'
import { createMigrations } from '../migrations/create-migrations.ts'
import { createTenants } from '../tenants/create-tenants.ts'
import { type ApiConfig } from './api-options.ts'
import { ConfigError } from './config-error.ts'
import { environmentTable } from './describe-environment.ts'
import { readConfig } from './read-config.ts'
import { resolveConfig } from './resolve-config.ts'

const routes = createRegistry()
const secret = randomBytes(32).toString('base64')
const production = {
  NODE_ENV: 'production',
  JWT_SECRET: secret,
  MONGODB_URI: 'mongodb://db.internal/app',
}

function problemsOf(config: Partial<ApiConfig>, env: Record<string, string> = {}): string[] {
  try {
    resolveConfig({ routes, ...config }, env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ name, problem }) => `${name} ${problem}`)
  }
  return []
}

describe('resolveConfig', () => {
  it('needs nothing in development', () => {
    const settings = resolveConfig({ routes }, {})
    expect(settings).toMatchObject({
      name: 'api',
      environment: 'development',
      server: { host: '0.0.0.0', port: 3000, keepAliveTimeout: 65_000, drainDelay: 0 },
      database: { uri: 'embedded:.data' },
      auth: { accessLifetime: 900_000, refreshIdleLifetime: 604_800_000, refreshLeeway: 10_000 },
      cors: { origins: [] },
      rateLimit: { limit: 300, window: 60_000 },
      body: { limit: 102_400 },
      accessLog: { format: 'dev' },
      securityHeaders: { hsts: 'https', resourcePolicy: 'same-origin' },
    })
  })

  it('keeps the database of tests in memory and their log quiet', () => {
    const settings = resolveConfig({ routes }, { NODE_ENV: 'test' })
    expect(settings.database).toMatchObject({ uri: 'embedded:memory' })
    expect(settings.accessLog.format).toBe(false)
    expect(settings.warnings).toEqual([])
  })

  it('reads an empty variable as one that is not set', () => {
    const names = environmentTable.map(({ name }) => [name, ''])
    const read = (env: Record<string, string>): unknown => readConfig({ routes }, env)
    expect(read(Object.fromEntries(names))).toEqual(read({}))
    expect(problemsOf({}, { NODE_ENV: 'production', JWT_SECRET: '', MONGODB_URI: '' })).toEqual([
      expect.stringContaining('MONGODB_URI is missing'),
      expect.stringContaining('JWT_SECRET is missing'),
    ])
  })

  it('reads every part from the environment', () => {
    const settings = resolveConfig(
      { routes },
      {
        ...production,
        HOST: '127.0.0.1',
        PORT: '8080',
        TRUST_PROXY: '10.0.0.0/8,loopback',
        JWT_SECRET: `${secret},${randomBytes(32).toString('hex')}`,
        JWT_ISSUER: 'https://id.example.com',
        ACCESS_TTL: '900',
        REFRESH_TTL: '1h',
        REFRESH_MAX_TTL: '2h',
        CORS_ORIGINS: 'https://a.example, https://b.example:8443',
        RATE_LIMIT: '50',
        RATE_LIMIT_WINDOW: '10s',
        AUTH_RATE_LIMIT: '3',
        AUTH_RATE_LIMIT_WINDOW: '1m',
        BODY_LIMIT: '1mb',
        LOG_LEVEL: 'warn',
        SHUTDOWN_TIMEOUT: '20s',
      },
    )
    expect(settings).toMatchObject({
      server: { host: '127.0.0.1', port: 8080, shutdownTimeout: 20_000, drainDelay: 5000 },
      trustProxy: ['10.0.0.0/8', 'loopback'],
      database: { uri: production.MONGODB_URI },
      auth: {
        issuer: 'https://id.example.com',
        accessLifetime: 900_000,
        refreshIdleLifetime: 3_600_000,
        limits: {
          perAddress: { login: { limit: 3, window: 60_000 } },
        },
      },
      cors: { origins: ['https://a.example', 'https://b.example:8443'] },
      rateLimit: { limit: 50, window: 10_000 },
      body: { limit: 1_048_576 },
      accessLog: { format: 'json' },
      securityHeaders: { hsts: 'always', resourcePolicy: 'cross-origin' },
    })
    expect(settings.auth && settings.auth.secrets).toHaveLength(2)
  })

  it('lets browsers send cookies from the listed origins of cookies', () => {
    const CORS_ORIGINS = 'https://app.example.com'
    const cookies = { origins: [CORS_ORIGINS] }
    const read = (config: Partial<ApiConfig>): unknown =>
      resolveConfig({ routes, ...config }, { CORS_ORIGINS }).cors.credentials
    expect(read({ auth: { cookies } })).toBe(true)
    expect(read({ auth: { cookies: {} } })).toBe(false)
    expect(read({})).toBe(false)
    expect(read({ auth: { cookies }, cors: { credentials: false } })).toBe(false)
    expect(problemsOf({ auth: { cookies } }, { CORS_ORIGINS: '*' })).toEqual([
      expect.stringMatching(/^CORS_ORIGINS .*List the origins/),
    ])
  })

  it.each(['s3cret', 'https://*.s3cret*', 'https://s3cret/path'])(
    'does not print the value of CORS_ORIGINS: %s',
    (value) => {
      const problems = problemsOf({}, { CORS_ORIGINS: `https://a.example,${value}` })
      expect(problems).toEqual([expect.stringContaining('number 2 of 2')])
      expect(String(problems)).not.toContain('s3cret')
    },
  )

  it('lets options win over the environment', () => {
    const settings = resolveConfig(
      { routes, server: { port: 1 }, auth: { accessLifetime: '2m' }, rateLimit: { window: 5 } },
      { PORT: '2', ACCESS_TTL: '3m', RATE_LIMIT_WINDOW: '6s', RATE_LIMIT: '7' },
    )
    expect(settings.server.port).toBe(1)
    expect(settings.auth).toMatchObject({ accessLifetime: 120_000 })
    expect(settings.rateLimit).toMatchObject({ limit: 7, window: 5000 })
  })

  it('does not look at what is switched off', () => {
    const env = { JWT_SECRET: 'weak', MONGODB_URI: 'nonsense', RATE_LIMIT: 'nonsense' }
    const settings = resolveConfig(
      { routes, auth: false, database: false, rateLimit: false, health: false, openapi: false },
      { NODE_ENV: 'production', ...env },
    )
    expect(settings).toMatchObject({
      auth: false,
      database: false,
      rateLimit: false,
      health: false,
      openapi: false,
    })
  })

  it('switches limits off by the environment', () => {
    const settings = resolveConfig({ routes }, { RATE_LIMIT: 'off', AUTH_RATE_LIMIT: 'off' })
    expect(settings.rateLimit).toBe(false)
    expect(settings.auth).toMatchObject({ limits: false })
  })

  it('TOK-09 reads keys from the environment, in one line', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pair = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    const retired = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
    const { auth } = resolveConfig({ routes }, { JWT_SIGNING_KEYS: `${pair}, ${retired}` })
    expect(auth && auth.signingKeys).toEqual([
      { algorithm: 'ES256', privateKey: expect.stringContaining('BEGIN PRIVATE KEY') },
      { algorithm: 'ES256', publicKey: expect.stringContaining('BEGIN PUBLIC KEY') },
    ])
    const ed25519 = generateKeyPairSync('ed25519').privateKey.export({
      format: 'der',
      type: 'pkcs8',
    })
    expect(problemsOf({}, { JWT_SIGNING_KEYS: ed25519.toString('base64') })[0]).toMatch(
      /^JWT_SIGNING_KEYS .*none of ES256 or RS256/,
    )
  })

  it.each([
    ['must begin with a private key', { type: 'ec', namedCurve: 'P-256', half: 'public' }],
    ['ES256 needs an EC key on P-256', { type: 'ec', namedCurve: 'P-384', half: 'private' }],
    ['RS256 needs an RSA key of 2048', { type: 'rsa', modulusLength: 1024, half: 'private' }],
  ] as const)('CFG-01 reports that JWT_SIGNING_KEYS %s with the other problems', (fault, key) => {
    const pair =
      key.type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: key.namedCurve })
        : generateKeyPairSync('rsa', { modulusLength: key.modulusLength })
    const der =
      key.half === 'public'
        ? pair.publicKey.export({ format: 'der', type: 'spki' })
        : pair.privateKey.export({ format: 'der', type: 'pkcs8' })
    const text = der.toString('base64')
    const problems = problemsOf({}, { JWT_SIGNING_KEYS: text, PORT: 'x', BODY_LIMIT: 'x' })
    const names = problems.map((problem) => problem.replace(/ .*/, ''))
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'BODY_LIMIT',
      'JWT_SIGNING_KEYS',
      'PORT',
    ])
    const problem = problems.find((one) => one.startsWith('JWT_SIGNING_KEYS'))
    expect(problem).toContain(fault)
    expect(problem).toContain('npx api keys generate --alg ES256')
    expect(problem).not.toContain(text.slice(0, 20))
  })

  it.each([
    [[{ algorithm: 'ES256' }], 'privateKey'],
    [[{ algorithm: 'HS256', privateKey: 'x' }], 'algorithm'],
    [[{ algorithm: 'ES256', privateKey: 'no PEM' }], 'PEM'],
    [[null], 'objects'],
  ])('CFG-01 names auth.signingKeys %j with the other problems', (keys, fault) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as from plain JavaScript
    const signingKeys = keys as unknown as readonly SigningKey[]
    const problems = problemsOf({ auth: { signingKeys }, server: { port: -1 } })
    expect(problems).toEqual([
      expect.stringMatching(/^server\.port /),
      expect.stringMatching(new RegExp(`^auth\\.signingKeys .*${fault}`)),
    ])
    expect(problems[1]).not.toContain('no PEM')
  })

  it('CFG-01 names keys of several algorithms', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const keys = [ec, rsa].map((key) => key.export({ format: 'der', type: 'pkcs8' }))
    const JWT_SIGNING_KEYS = keys.map((key) => key.toString('base64')).join(',')
    expect(problemsOf({}, { JWT_SIGNING_KEYS })).toEqual([
      expect.stringMatching(/^JWT_SIGNING_KEYS must all have the same algorithm/),
    ])
  })

  it.each([{ JWT_SECRET: 'short' }, { JWT_SECRET: ',' }])(
    'CFG-02 names %j in tests too, with the other problems',
    (env) => {
      const problems = problemsOf({}, { NODE_ENV: 'test', PORT: 'x', ...env })
      expect(problems).toHaveLength(2)
      expect(problems[1]).toMatch(/^JWT_SECRET .*Create one: openssl rand -base64 32$/)
    },
  )

  it('CFG-02 names an empty list of secrets', () => {
    expect(problemsOf({ auth: { secrets: [] } })).toEqual([
      'auth.secrets needs at least one secret. Create one: openssl rand -base64 32',
    ])
  })

  it('names a variable once', () => {
    const problems = problemsOf({}, { ...production, MONGODB_URI: 'localhost', SMTP_URL: 'x' })
    const names = problems.map((problem) => problem.replace(/ .*/, ''))
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual(['MONGODB_URI', 'SMTP_URL'])
  })

  it('makes a random secret in development, and warns', () => {
    const [first, second] = [resolveConfig({ routes }, {}), resolveConfig({ routes }, {})]
    expect(first.warnings[0]).toContain('JWT_SECRET is not set')
    expect(first.auth && first.auth.secrets).not.toEqual(second.auth && second.auth.secrets)
  })

  it('CFG-01 lists every problem at once, with name and fix, without values', () => {
    const env = {
      NODE_ENV: 'production',
      PORT: 'hunter2',
      ACCESS_TTL: 'hunter3',
      RATE_LIMIT: '-4711',
    }
    const error = (() => {
      try {
        resolveConfig({ routes }, env)
      } catch (caught) {
        return caught
      }
      return undefined
    })()
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toBe(
      [
        'ConfigError: The configuration cannot be used:',
        '  PORT         must be a whole number from 0 to 65535',
        '  ACCESS_TTL   must be a duration from 1s to 400d, such as 900, 15m or 1h',
        '  RATE_LIMIT   must be a whole number from 1 to 1000000000, or off',
        '  MONGODB_URI  is missing, and production has no default: MONGODB_URI=mongodb://host:27017/app',
        '  JWT_SECRET   is missing. Create one: openssl rand -base64 32',
      ].join('\n'),
    )
  })

  it('CFG-01 ends a process with an exit code', () => {
    const code = `import { resolveConfig } from './resolve-config.ts'; resolveConfig({ routes: { mounts: [] } })`
    const result = spawnSync(
      process.execPath,
      ['--conditions=@create-api/source', '--import', 'tsx', '--input-type=module', '-e', code],
      {
        cwd: import.meta.dirname,
        env: { NODE_ENV: 'production' },
        encoding: 'utf8',
        timeout: 60_000,
      },
    )
    expect(result.stderr).toContain('MONGODB_URI')
    expect(result.status).toBe(1)
  })

  it.each(['15mn', '-1', '1e3s', '0', '401d'])('CFG-03 refuses ACCESS_TTL=%j', (value) => {
    expect(problemsOf({}, { ACCESS_TTL: value })).toEqual([
      'ACCESS_TTL must be a duration from 1s to 400d, such as 900, 15m or 1h',
    ])
  })

  it.each([
    ['NODE_ENV', 'staging'],
    ['PORT', '65536'],
    ['PORT', '3000x'],
    ['TRUST_PROXY', 'true'],
    ['MONGODB_URI', 'localhost:27017'],
    ['BODY_LIMIT', '100k'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT_WINDOW', '0'],
    ['REFRESH_LEEWAY', '61'],
    ['RATE_LIMIT_STORE', 'file'],
    ['REDIS_URL', 'http://redis:6379'],
    ['METRICS_PORT', '-1'],
    ['METRICS_TOKEN', 'short'],
    ['METRICS_PATH', 'metrics'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['JWT_SIGNING_KEYS', 'MIG2AgEA'],
    ['SMTP_URL', 'smtp.example.com'],
    ['MAIL_FROM', 'Blog'],
    ['APP_URL', 'app.example.com'],
  ])('CFG-01 names %s when it is %j', (name, value) => {
    const problems = problemsOf({}, { [name]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name} `))
  })

  it.each([
    [{ rateLimit: { limit: Number.NaN } }, 'rateLimit.limit'],
    [{ rateLimit: { limit: 0 } }, 'rateLimit.limit'],
    [{ rateLimit: { window: '15x' } }, 'rateLimit.window'],
    [{ trustProxy: '*' }, 'trustProxy'],
    [{ auth: { secrets: ['short'] } }, 'auth.secrets'],
    [{ auth: { audience: '' } }, 'auth.audience'],
    [{ body: { limit: '1x' } }, 'body.limit'],
    [{ body: { maxDepth: 0 } }, 'body.maxDepth'],
    [{ cors: { origins: ['a.com'] } }, 'cors.origins'],
    [{ accessLog: { format: ':nope' } }, 'accessLog.format'],
    [{ securityHeaders: { helmet: { referrerPolicy: { policy: [] } } } }, 'securityHeaders.helmet'],
  ] satisfies [Partial<ApiConfig>, string][])(
    'RL-08 HDR-04 TOK-06 names the option of %j',
    (config, name) => {
      const problems = problemsOf(config)
      expect(problems).toHaveLength(1)
      expect(problems[0]).toMatch(new RegExp(`^${name} `))
    },
  )

  it('CFG-02 refuses weak secrets outside tests', () => {
    const weak = 'changeme'.repeat(8)
    expect(problemsOf({}, { JWT_SECRET: weak })).toHaveLength(1)
    expect(problemsOf({}, { ...production, JWT_SECRET: weak })).toHaveLength(1)
    expect(problemsOf({}, { JWT_SECRET: weak, NODE_ENV: 'test' })).toEqual([])
  })

  it('chooses how mails go out by where the service runs', async () => {
    const mailOf = (config: ApiConfig['auth'], env: Record<string, string>): unknown => {
      const { auth } = resolveConfig({ routes, auth: config }, env)
      return auth && auth.mail
    }
    const smtp = {
      SMTP_URL: 'smtps://u:p@smtp.example.com:465',
      MAIL_FROM: 'Blog <no-reply@example.com>',
    }
    expect(mailOf({}, {})).toMatchObject({ appUrl: 'http://localhost:3000' })
    expect(mailOf({ mail: false }, { SMTP_URL: 'nonsense' })).toBe(false)
    const own = { send: async () => {} }
    expect(mailOf({ mail: { mailer: own, resetPath: '/new' } }, smtp)).toMatchObject({
      mailer: own,
      resetPath: '/new',
      appUrl: 'http://localhost:3000',
    })
    const APP_URL = 'https://app.example.com'
    expect(mailOf({}, { ...production, ...smtp, APP_URL })).toMatchObject({ appUrl: APP_URL })
  })

  it('names what sending mails needs', () => {
    const smtp = { SMTP_URL: 'smtp://localhost' }
    expect(problemsOf({}, smtp)).toEqual([
      'MAIL_FROM is missing: the sender of e-mail, such as no-reply@example.com',
    ])
    expect(problemsOf({}, { ...production, ...smtp, MAIL_FROM: 'a@b.co' })).toEqual([
      'APP_URL is missing: where links in e-mail lead to, such as https://app.example.com',
    ])
    expect(problemsOf({ auth: { hideRegistered: true } }, production)).toEqual([
      'auth.hideRegistered responds by e-mail only, and none is sent: set SMTP_URL, MAIL_FROM and APP_URL',
    ])
    const warnings = (auth: ApiConfig['auth']): readonly string[] =>
      resolveConfig({ routes, auth }, production).warnings
    expect(warnings({})).toEqual([expect.stringMatching(/^SMTP_URL is not set: no e-mail is sent/)])
    expect(warnings({ mail: false })).toEqual([])
  })

  it('has organizations only if they are asked for', () => {
    expect(resolveConfig({ routes }, {}).tenants).toBe(false)
    expect(resolveConfig({ routes, tenants: false }, {}).tenants).toBe(false)
    const { tenants } = resolveConfig(
      { routes, tenants: createTenants({ roles: ['editor', 'admin'] }) },
      {},
    )
    expect(tenants).toMatchObject({
      from: 'path',
      header: 'X-Organization',
      claim: 'organization',
      roles: ['editor'],
      routes: { path: '/api/orgs' },
    })
  })

  it('names what organizations need', () => {
    expect(problemsOf({ auth: false, tenants: createTenants() })).toEqual([
      'tenants needs callers: leave out auth: false, or set authenticator',
    ])
    const authenticator = defineAuthenticator(() => undefined)
    expect(
      problemsOf({ auth: false, authenticator, tenants: createTenants({ from: 'token' }) }),
    ).toEqual([])
    expect(problemsOf({ tenants: createTenants({ from: 'token' }) })).toEqual([
      "tenants.from is 'token', and the tokens have no claims of the application: auth: { claims: { namespace, create } }",
    ])
    const claims = { namespace: 'https://example.com/claims', create: () => ({}) }
    expect(problemsOf({ auth: { claims }, tenants: createTenants({ from: 'token' }) })).toEqual([])
    expect(problemsOf({ tenants: createTenants({ roles: ['a b'] }) })).toEqual([
      "tenants.roles must be a list of names such as 'editor'",
    ])
    expect(problemsOf({ tenants: createTenants({ header: 'X Org' }) })).toEqual([
      "tenants.header must be the name of a header, such as 'X-Organization'",
    ])
    expect(problemsOf({ tenants: createTenants({ routes: { path: 'orgs' } }) })).toEqual([
      "tenants.routes must have a path such as '/api/orgs'",
    ])
  })

  it('names the import of what an option or a variable asks for', () => {
    const missing = (option: string, code: string): string =>
      `needs createApi({ ${option}: ${code} }), imported from '@create-api/core/${option}'`
    const metrics = missing('metrics', 'createMetrics()')
    expect(problemsOf({}, { METRICS_PORT: '9464' })).toEqual([`METRICS_PORT ${metrics}`])
    expect(problemsOf({}, { METRICS_TOKEN: secret })).toEqual([`METRICS_TOKEN ${metrics}`])
    expect(problemsOf({ metrics: false }, { METRICS_PORT: '9464' })).toEqual([])
    const plain = (config: object): string[] => problemsOf(config)
    expect(plain({ metrics: {} })).toEqual([`metrics ${metrics}`])
    expect(plain({ tenants: { roles: [] } })).toEqual([
      `tenants ${missing('tenants', 'createTenants()')}`,
    ])
    expect(plain({ migrations: { directory: 'migrations' } })).toEqual([
      `migrations ${missing('migrations', 'createMigrations({ directory })')}`,
    ])
    const { directory: _, ...rest } = createMigrations({ directory: 'migrations' })
    expect(plain({ migrations: rest })).toEqual([
      "migrations.directory is missing: createMigrations({ directory: new URL('./migrations/', import.meta.url) })",
    ])
    // Only an API with migrations reads it.
    expect(problemsOf({}, { MIGRATIONS_ON_PENDING: 'run' })).toEqual([])
  })

  it('lets browsers send the header of the organization', () => {
    const corsOf = (tenants: ApiConfig['tenants'], cors: ApiConfig['cors']): unknown =>
      resolveConfig({ routes, tenants, cors }, {}).cors.allowedHeaders
    const own = { allowedHeaders: ['X-Own'] }
    expect(corsOf(createTenants({ from: 'header', header: 'X-Team' }), {})).toContain('X-Team')
    expect(corsOf(createTenants({ from: 'header' }), own)).toEqual(['X-Own'])
    expect(corsOf(createTenants(), {})).toBeUndefined()
  })

  it('refuses a session that would end before it is idle', () => {
    expect(problemsOf({}, { REFRESH_TTL: '2d', REFRESH_MAX_TTL: '1d' })).toEqual([
      'REFRESH_MAX_TTL must not be shorter than REFRESH_TTL',
    ])
  })

  it('CFG-04 refuses options that do not exist, with the nearest that does', () => {
    const resolve = (config: object): unknown => resolveConfig({ routes, ...config }, {})
    expect(() => resolve({ ratelmit: {} })).toThrow(
      new TypeError('createApi() has no option ratelmit. Did you mean rateLimit?'),
    )
    expect(() => resolve({ rateLimit: { windowMs: 1 } })).toThrow(
      new TypeError('createApi() has no option rateLimit.windowMs. Did you mean rateLimit.window?'),
    )
    expect(() => resolve({ xyzzy: 1, server: { prot: 1 } })).toThrow(
      /no option xyzzy\. Known: .*no option server\.prot\. Did you mean server\.port\?/,
    )
    expect(() => Reflect.apply(resolveConfig, undefined, [])).toThrow(TypeError)
    // @ts-expect-error the compiler knows it too
    expect(() => resolveConfig({ routes, ratelimt: {} }, {})).toThrow(TypeError)
  })

  it('RL-05 lets every limit count in the database', () => {
    const settings = resolveConfig({ routes }, { RATE_LIMIT_STORE: 'mongodb' })
    expect(settings.rateLimit).toMatchObject({ store: { localKeys: false } })
    expect(settings.auth).toMatchObject({ limits: { createStore: expect.any(Function) } })
  })

  it('RL-05 requires the address of a Redis that is to count', () => {
    expect(problemsOf({}, { RATE_LIMIT_STORE: 'redis' })).toEqual([
      'REDIS_URL is missing, and RATE_LIMIT_STORE is redis',
    ])
  })

  it('RL-06 warns when several processes would count on their own', () => {
    const warnings = (config: Partial<ApiConfig>): string[] =>
      resolveConfig({ routes, ...config }, { NODE_ENV: 'test' }).warnings.filter((text) =>
        text.includes('Rate limits'),
      )
    expect(cluster.isWorker).toBe(false)
    expect(warnings({})).toHaveLength(0)
    expect(warnings({ workers: 2 })).toHaveLength(1)
    expect(warnings({ workers: 2, rateLimit: false })).toHaveLength(0)
    expect(warnings({ workers: 2, rateLimit: { store: 'mongodb' } })).toHaveLength(0)
    expect(warnings({ workers: 2, rateLimit: { store: new MemoryStore() } })).toHaveLength(0)
  })
})
