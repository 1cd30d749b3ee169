// The code that loads an Express application in a child process, after the prelude of `runWithFile`. It replaces
// functions that listen and connect, and observes the calls that register routes: Express 5 does not keep the paths
// of its layers as text. It returns what `LoadedApp` describes.
export const observeScript = String.raw`
const cluster = (await import('node:cluster')).default
const { EventEmitter } = await import('node:events')
const { METHODS } = await import('node:http')
const { Session } = await import('node:inspector')
const module = (await import('node:module')).default
const net = (await import('node:net')).default
const { setTimeout: wait } = await import('node:timers/promises')
const { fileURLToPath } = await import('node:url')

const require = module.createRequire(app)
const sites = new WeakMap()
const children = new WeakMap()
const observed = new Set()
const apps = []
const served = []
const prevented = new Set()
const modelPlaces = new Map()
const problems = []
process.setSourceMapsEnabled(true)

// The nearest code on the stack that is not that of a package.
function findPlace() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const stack = String(new Error('').stack)
  Error.stackTraceLimit = limit
  for (const line of stack.split('\n').slice(1)) {
    const found = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/.exec(line)
    if (!found || /node_modules|\[eval/.test(found[1])) continue
    return { file: toPath(found[1]), line: Number(found[2]), column: Number(found[3]) }
  }
  return undefined
}

const toPath = (url) => (url.startsWith('file:') ? fileURLToPath(url.split('?')[0]) : url.split('?')[0])

function around(target, name, after) {
  const original = target?.[name]
  if (typeof original !== 'function') return
  target[name] = function (...args) {
    const result = original.apply(this, args)
    after(this, args, result)
    return result
  }
}

// The first argument is a path unless it is a function, or an array that begins with one.
function readPath(args) {
  const first = [args[0]].flat(Infinity)[0]
  return typeof first === 'function' ? undefined : args[0]
}

function observe(express) {
  if (typeof express?.application?.use !== 'function' || !express.Route || observed.has(express)) return
  observed.add(express)
  const router = typeof express.Router.use === 'function' ? express.Router : express.Router.prototype
  around(router, 'use', ({ stack }, args) => {
    const path = readPath(args)
    const count = args.slice(path === undefined ? 0 : 1).flat(Infinity).length
    const place = findPlace()
    for (const layer of stack.slice(-count)) sites.set(layer, { path: path ?? '/', place })
  })
  around(router, 'route', ({ stack }, [path]) => sites.set(stack.at(-1), { path, place: findPlace() }))
  for (const method of [...METHODS.map((one) => one.toLowerCase()), 'all']) {
    around(express.Route.prototype, method, ({ stack }, args) => {
      const place = findPlace()
      for (const layer of stack.slice(-args.flat(Infinity).length)) sites.set(layer, { place })
    })
  }
  around(express.application, 'init', (created) => apps.push(created))
  around(express.application, 'use', (parent, args) => {
    const functions = args.slice(readPath(args) === undefined ? 0 : 1).flat(Infinity)
    const layers = stackOf(parent).slice(-functions.length)
    functions.forEach((one, index) => isApp(one) && children.set(layers[index], one))
  })
}

const isApp = (value) =>
  typeof value === 'function' && typeof value.handle === 'function' && typeof value.set === 'function'
const isRouter = (value) => typeof value === 'function' && Array.isArray(value.stack)
// Express 4 throws when its 'router' is read.
const stackOf = (one) => one.stack ?? one._router?.stack ?? (one.lazyrouter ? [] : one.router.stack)

function observeMongoose(mongoose) {
  const connection = mongoose?.Connection?.prototype
  if (typeof connection?.openUri !== 'function' || observed.has(mongoose)) return
  observed.add(mongoose)
  connection.openUri = function (...args) {
    prevented.add('connecting to MongoDB')
    const callback = args.find((one) => typeof one === 'function')
    if (callback) process.nextTick(callback, null, this)
    return Promise.resolve(this)
  }
  around(mongoose.Mongoose?.prototype, '_model', (_mongoose, [name]) => modelPlaces.set(name, findPlace()))
}

function observeDriver(driver) {
  const client = driver?.MongoClient?.prototype
  if (typeof client?.connect !== 'function' || observed.has(driver)) return
  observed.add(driver)
  client.connect = function (callback) {
    prevented.add('connecting to MongoDB')
    if (typeof callback === 'function') process.nextTick(callback, null, this)
    return Promise.resolve(this)
  }
}

const observers = { express: observe, mongoose: observeMongoose, mongodb: observeDriver }
for (const [name, start] of Object.entries(observers)) {
  try {
    start(require(name))
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
  }
}
// Packages may have further copies.
const load = module._load
module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest)
  if (Object.hasOwn(observers, name)) observers[name](loaded)
  return loaded
}

function describeAddress(args) {
  const [first, second] = args.flat()
  if (first === null || typeof first !== 'object') {
    return typeof second === 'string' ? second + ':' + first : 'port ' + (first ?? 'any')
  }
  return first.path ?? (first.host ?? first.hostname ?? 'localhost') + ':' + (first.port ?? 'any')
}
net.Server.prototype.listen = function (...args) {
  prevented.add('listening on ' + describeAddress(args))
  served.push(...this.listeners('request'))
  return this
}
net.Socket.prototype.connect = function (...args) {
  prevented.add('connecting to ' + describeAddress(args))
  return this
}
cluster.fork = () => {
  prevented.add('starting a worker process')
  return Object.assign(new EventEmitter(), { id: 0, process: new EventEmitter(), send() {}, kill() {} })
}

const session = new Session()
const scripts = new Map()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url))
session.post('Debugger.enable')

function ask(method, params) {
  let response
  session.post(method, params, (_error, result) => (response = result))
  return response
}

const located = Symbol.for('create-api.located')
function locate(fn) {
  globalThis[located] = fn
  const { result } = ask('Runtime.evaluate', { expression: 'globalThis[Symbol.for("create-api.located")]' })
  return locateObject(result.objectId)
}

function locateObject(objectId) {
  const { internalProperties = [] } = ask('Runtime.getProperties', { objectId, ownProperties: true })
  const read = (name) => internalProperties.find((one) => one.name === name)?.value
  const target = read('[[TargetFunction]]')
  if (target) return locateObject(target.objectId)
  const location = read('[[FunctionLocation]]')?.value
  const url = location && scripts.get(location.scriptId)
  if (!url || url.startsWith('node:') || url.includes('node_modules') || url.startsWith('[')) return undefined
  return toOriginal(url, location)
}

function toOriginal(url, { columnNumber, lineNumber }) {
  const path = toPath(url)
  const map = module.findSourceMap(url) ?? module.findSourceMap(path)
  const entry = map?.findEntry(lineNumber, columnNumber)
  if (!entry?.originalSource) return { file: path, line: lineNumber + 1, column: columnNumber + 1 }
  const file = toPath(new URL(entry.originalSource, url.startsWith('file:') ? url : 'file://' + url).href)
  return { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

const ids = new Map()
function describeFunction(fn) {
  if (!ids.has(fn)) ids.set(fn, ids.size)
  const takesTwo = fn.length === 1 || fn.length === 2
  const ends = takesTwo && !/\barguments\b/.test(Function.prototype.toString.call(fn))
  return { id: ids.get(fn), name: String(fn.name), handlesErrors: fn.length === 4, ends, place: locate(fn) }
}

function describePaths(layer, site) {
  const path = site?.path ?? layer.rawPath ?? (layer.regexp?.fast_slash ? '/' : undefined)
  if (path === undefined) return undefined
  return [path].flat(Infinity).map((one) => (one instanceof RegExp ? { pattern: String(one) } : String(one)))
}

function describeLayer(layer, parents) {
  const site = sites.get(layer)
  const common = { paths: describePaths(layer, site), place: site?.place }
  if (layer.route) {
    const handlers = layer.route.stack.map((one) => ({
      method: one.method?.toUpperCase(),
      registered: sites.get(one)?.place,
      ...describeFunction(one.handle),
    }))
    return { ...common, kind: 'route', handlers }
  }
  const nested = children.get(layer) ?? (isRouter(layer.handle) ? layer.handle : undefined)
  if (nested && !parents.includes(nested)) {
    return { ...common, kind: 'router', layers: describeStack(nested, parents) }
  }
  return { ...common, kind: 'middleware', handler: describeFunction(layer.handle) }
}

const builtIn = new Set(['query', 'expressInit'])
function describeStack(one, parents = []) {
  const layers = stackOf(one).filter((layer) => sites.has(layer) || !builtIn.has(layer.name))
  return layers.map((layer) => describeLayer(layer, [...parents, one]))
}

function outermost(one) {
  return one.parent ? outermost(one.parent) : one
}

function findApps(exported) {
  const given = exported.flatMap((value) => [value, value?.app, value?.default])
  const groups = [given.filter(isApp), served.filter(isApp), apps.filter((one) => !one.parent), given.filter(isRouter)]
  return [...new Set((groups.find((group) => group.length > 0) ?? []).map(outermost))]
}

const factory = /^(default|(create|make|build|get|init|setup|bootstrap|start|load)\w*|app)$/i
async function callFactory(exported) {
  const named = exported.flatMap((value) => (value && typeof value === 'object' ? Object.entries(value) : []))
  const found = [...named, ['default', exported[0]]].find(
    ([name, value]) =>
      typeof value === 'function' && value.length === 0 && factory.test(name) && !/^class\b/.test(value.toString()),
  )
  if (!found) return []
  called = found[1].name || found[0]
  return [await found[1]()]
}

let called
let exported = []
let finished = false
function describeModels() {
  const found = [...observed].flatMap((one) => one.connections ?? [])
  return found.flatMap((connection) =>
    Object.values(connection.models).map(({ collection, modelName }) => ({
      name: modelName,
      collection: collection?.name,
      place: modelPlaces.get(modelName),
    })),
  )
}
function readVersion() {
  try {
    return require('express/package.json').version
  } catch {
    return undefined
  }
}
function describe() {
  finished = true
  return {
    version: readVersion(),
    apps: findApps(exported).map((one) => describeStack(one)),
    models: describeModels(),
    prevented: [...prevented],
    problems,
    called,
  }
}
// An application that stops itself, or fails without a connection, has often registered its routes before.
process.on('exit', (code) => {
  if (finished || findApps(exported).length === 0) return
  problems.push('the application exited with ' + code + ' while it was loaded')
  send({ result: describe() })
})
process.removeAllListeners('uncaughtException')
const throwLater = (error) => {
  if (findApps(exported).length > 0) return void problems.push(String(error?.message ?? error))
  const { name = '', message = String(error), stack = '' } = error ?? {}
  finished = true
  send({ failure: { phase, name, message, stack } })
  process.exit(1)
}
process.on('uncaughtException', throwLater)

// What an application does after it listens would wait for the callback, which is not called.
async function waitAtMost(turns) {
  for (let turn = 0, quiet = 0; turn < turns && quiet < 20; turn += 1) {
    await wait(50)
    quiet = served.length > 0 ? quiet + 1 : 0
  }
  return served.length > 0 ? 'served' : 'late'
}
const deadline = waitAtMost(input.limit / 50)
const loading = import(app).then(async (namespace) => {
  exported = [namespace.default, { ...namespace }, ...Object.values(namespace)]
  for (let turn = 0; turn < 20 && served.length === 0; turn += 1) await wait(10)
  if (findApps(exported).length === 0) exported.push(...(await callFactory(exported)))
  for (let turn = 0; turn < 20 && called && served.length === 0; turn += 1) await wait(10)
})
if ((await Promise.race([loading.catch(throwLater), deadline])) === 'late') {
  problems.push('the application had not been loaded after ' + input.limit / 1000 + ' s')
}
imported()
finish(describe())
`
