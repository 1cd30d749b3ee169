// Runs in the project, with its modules. Requests come from Node's own client at the other end of a connection in memory, so
// that the complete pipeline applies. It stops when the process that has started it is gone.
export const writerScript = `
  const { AsyncLocalStorage } = await import('node:async_hooks')
  const { once } = await import('node:events')
  const { request } = await import('node:http')
  const { duplexPair } = await import('node:stream')
  const { setTimeout: sleep } = await import('node:timers/promises')

  const requestTimeout = 60_000
  const maxUnavailable = 60_000
  const concurrency = 8
  const disconnected = once(process, 'disconnect')
  // The terminal sends them to this process too, whose requests must end.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})

  class Failure extends Error {
    constructor(message, details = [], hint = undefined) {
      super(message)
      Object.assign(this, { details, hint })
    }
  }

  let api, core, mongoose, caller, server, target, model, session
  const record = new AsyncLocalStorage()
  const records = new WeakMap()

  async function start({ app, as, headers }) {
    ;({ api } = await import(app))
    core = await import('@create-api/core')
    mongoose = (await import('mongoose')).default
    caller = { as, headers }
    const { database } = api.config
    if (database === false) throw new Failure('the application has no database (database: false)')
    if (as !== undefined && !api.auth) throw new Failure('authentication is disabled (auth: false)')
    if (api.openapi === undefined) {
      throw new Failure('the application has no OpenAPI document (openapi: false), which describes the fields')
    }
    const { connected, failed } = connect()
    await Promise.race([connected, failed])
    await api.auth?.init()
    if (as !== undefined && !(await api.auth.users.findByEmail(as))) {
      throw new Failure('there is no user ' + as)
    }
    const isEmbedded = database.uri.startsWith('embedded:')
    const [, hosts] = /^[^/]*\\/\\/(?:[^@/]*@)?([^/?]+)/.exec(database.uri) ?? []
    const label = isEmbedded ? database.uri : hosts + '/' + mongoose.connection.name
    return { database: label, isEmbedded, openapi: api.openapi }
  }

  // The database stays connected until the import ends.
  function connect() {
    let failed
    const connected = new Promise((resolve) => {
      failed = core.withDatabase(api, async () => {
        resolve()
        await disconnected
        await logOut(session)
        await api.auth?.stop()
      })
    })
    failed.then(() => process.exit(0), () => undefined)
    return { connected, failed }
  }

  async function open(options) {
    target = options
    const endpoint = api.routes.find(({ method, path }) => method === 'POST' && path === options.pattern)
    model = endpoint.model
    if (options.dryRun) await checkOnly(endpoint.route)
    // As the start of the service does: without its index, a field is not unique.
    else await model?.createIndexes?.()
    server = core.createServer(api.app, { fast: api.config.server.fast })
    const [serve] = server.listeners('request')
    server.removeAllListeners('request')
    server.on('request', (req, res) => record.run(records.get(req.socket), () => serve.call(server, req, res)))
    return model !== undefined && [model, ...Object.values(model.discriminators ?? {})].every(chooseIds)
  }

  // Access, body and references are checked as usual; the controller is not called.
  async function checkOnly(route) {
    const { requireReferences } = await import('@create-api/core/resource')
    route.handler = async (req, res) => {
      if (model) await requireReferences(model, req.valid.body, { references: req.references })
      res.status(204).end()
    }
  }

  // The first document that a request creates gets the id of its record, by which a later run finds it.
  function chooseIds(model) {
    const path = model.schema.path('_id')
    if (path?.instance !== 'ObjectId') return false
    const { defaultValue } = path
    path.default(function (...args) {
      const own = record.getStore()
      if (own === undefined || own.isCreated || !this?.isNew) {
        return typeof defaultValue === 'function' ? defaultValue.apply(this, args) : defaultValue
      }
      own.isCreated = true
      return toId(own.number)
    })
    return true
  }

  // Ids count in the order of the records: seconds, seed, number.
  function toId(number) {
    const seconds = target.startedAt + Math.floor(number / 2 ** 24)
    const hex = (value, length) => value.toString(16).padStart(length, '0')
    return new mongoose.Types.ObjectId(hex(seconds, 8) + target.seed + hex(number % 2 ** 24, 6))
  }

  async function exists(number) {
    if (model?.schema.path('_id')?.instance !== 'ObjectId') return false
    return (await model.collection.findOne({ _id: toId(number) }, { projection: { _id: 1 } })) !== null
  }

  // A token is replaced before it expires.
  async function logIn() {
    if (caller.as === undefined || Date.now() < session?.until) return
    const earlier = session
    const user = await api.auth.users.findByEmail(caller.as)
    if (!user) throw new Failure('there is no user ' + caller.as)
    const { accessToken, tokenType } = await api.auth.issueTokens(user)
    const { exp, iat, sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url'))
    const headers = { authorization: tokenType + ' ' + accessToken }
    session = { headers, sid, userId: user.id, until: Date.now() + ((exp - iat) * 1000) / 2 }
    await logOut(earlier)
  }

  async function logOut(one) {
    if (one) await api.auth.sessions.revoke({ sessionId: one.sid, userId: one.userId }, 'logout')
  }

  async function write({ entries, isUncertain }) {
    await logIn()
    const written = []
    const rest = entries.entries()
    const work = async () => {
      for (const [index, entry] of rest) written[index] = await create(entry, isUncertain)
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return written
  }

  async function create([number, body], isUncertain) {
    if (isUncertain && (await exists(number))) return { number }
    const { response, text } = await sendPatiently({ number, body })
    if (response.statusCode < 300) return { number }
    const problem = toProblem(response, text)
    // The process of an interrupted run, or a second one, may have created it meanwhile.
    if (problem.status === 409 && (await exists(number))) return { number }
    if ([401, 404, 405, 406, 415].includes(problem.status)) {
      throw new Failure('the service rejects every request: ' + problem.status + ' ' + problem.title, [], callerHint(problem.status))
    }
    return { number, problem }
  }

  function callerHint(status) {
    return status === 401 ? 'name the caller: --as <email>, or --header "Authorization: Bearer <API key>"' : undefined
  }

  async function sendPatiently(one) {
    const begun = Date.now()
    for (;;) {
      const sent = await send(one)
      const { statusCode: status, headers } = sent.response
      if (status !== 429 && status !== 503) return sent
      if (status === 503 && Date.now() - begun > maxUnavailable) {
        throw new Failure('the service is unavailable', [sent.text.slice(0, 500)])
      }
      const seconds = Math.min(Math.max(Number(headers['retry-after']) || 1, 1), 3600)
      reply({ notice: 'the service returns ' + status + '; waiting for ' + seconds + ' s' })
      await sleep(seconds * 1000)
    }
  }

  async function send({ number, body }) {
    const [near, far] = duplexPair()
    near.once('close', () => far.destroy())
    records.set(far, { number, isCreated: false })
    server.emit('connection', far)
    const sent = request({
      createConnection: () => near,
      method: 'POST',
      path: target.path,
      headers: {
        host: 'localhost',
        accept: 'application/json, application/*;q=0.9',
        ...session?.headers,
        ...caller.headers,
        'content-type': target.type,
        'content-length': Buffer.byteLength(body),
      },
      signal: AbortSignal.timeout(requestTimeout),
    }).end(body)
    const [response] = await once(sent, 'response')
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    return { response, text: Buffer.concat(chunks).toString() }
  }

  function toProblem({ statusCode: status, statusMessage }, text) {
    let problem = {}
    try {
      problem = Object(JSON.parse(text))
    } catch {}
    const errors = Array.isArray(problem.errors) ? problem.errors : []
    return {
      status,
      code: String(problem.code ?? status),
      title: String(problem.detail ?? problem.title ?? statusMessage),
      errors: errors.map(({ detail, pointer }) => ({ pointer: String(pointer ?? ''), detail: String(detail ?? '') })),
    }
  }

  // The process that it would be sent to may be gone.
  function reply(message) {
    if (process.connected) process.send(message, () => undefined)
  }

  const methods = { start, open, write }
  process.on('message', async ({ id, input, name }) => {
    try {
      reply({ id, value: await methods[name](input) })
    } catch (error) {
      const { details = [], hint, message = String(error) } = error ?? {}
      const [first, ...rest] = message.split('\\n')
      reply({ id, failure: { message: first, details: [...rest, ...details], hint } })
    }
  })
`
