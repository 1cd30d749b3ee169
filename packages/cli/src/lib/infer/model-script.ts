import { sampleScript } from './sample-script.ts'

// Runs in the project, with its modules: loads the file of a model, and describes the schema as plain data. It neither
// connects nor calls the application.
export const modelScript = `
  const { createRequire } = await import('node:module')
  const printed = []
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (text, encoding, done) => {
      printed.push(String(text))
      const called = done ?? encoding
      if (typeof called === 'function') called()
      return true
    }
  }

  class Refusal extends Error {
    constructor(message, details = [], hint = undefined) {
      super(message)
      Object.assign(this, { details, hint })
    }
  }

  let mongoose
  function findMongoose() {
    try {
      return createRequire(input.path)('mongoose')
    } catch {
      throw new Refusal('the package mongoose is not installed', [], 'npm install')
    }
  }

  const isModel = (value) =>
    typeof value === 'function' && typeof value.modelName === 'string' && value.schema !== undefined
  const isSchema = (value) => value?.instanceOfSchema === true
  const isClass = (value) => /^class\\b/.test(Function.prototype.toString.call(value))

  // The exports, then the members of the default export, which is module.exports of a CommonJS module.
  function listExports(module) {
    const found = []
    const add = (entry) => {
      const value = entry.value
      if (value !== undefined && !found.some((other) => other.value === value)) found.push(entry)
    }
    add({ name: 'default', value: module.default })
    const { default: main } = module
    if (main && typeof main === 'object' && main.__esModule) {
      add({ name: 'default', member: 'default', value: main.default })
    }
    const skipped = ['default', 'module.exports', '__esModule']
    for (const [name, value] of Object.entries(module)) if (!skipped.includes(name)) add({ name, value })
    if (main && typeof main === 'object' && !isSchema(main)) {
      for (const [member, value] of Object.entries(main)) add({ name: 'default', member, value })
    }
    return found
  }

  function listRegistered(text) {
    const models = mongoose.connections.flatMap((connection) => Object.values(connection.models))
    const isNamed = ({ modelName }) => ["'", '"', '\`'].some((quote) => text.includes(quote + modelName + quote))
    return models.filter(isNamed).map((value) => ({ is: 'registered', name: value.modelName, value }))
  }

  // A function of the connection, or of mongoose.
  function callFactory({ name, member, value }) {
    const failures = []
    for (const argument of ['mongoose.connection', 'mongoose']) {
      try {
        const result = value(argument === 'mongoose' ? mongoose : mongoose.connection)
        if (isModel(result)) return { is: 'function', name, member, argument, value: result }
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return undefined
  }

  const toLabel = ({ is, name, member, value }) =>
    is === 'registered' ? name : (member ?? (name === 'default' ? (value.modelName ?? 'default') : name))

  function choose(module) {
    const entries = listExports(module)
    const models = entries.filter(({ value }) => isModel(value)).map((one) => ({ is: 'model', ...one }))
    const schemas = entries.filter(({ value }) => isSchema(value)).map((one) => ({ is: 'schema', ...one }))
    const isOwn = (value) => typeof value === 'function' && !isModel(value) && !isClass(value)
    const functions = entries.filter(({ value }) => isOwn(value))
    const registered = listRegistered(input.text).filter(({ value }) => !models.some((one) => one.value === value))
    const wanted = input.name
    if (wanted !== undefined) {
      const all = [...models, ...registered, ...schemas]
      const found = all.filter((one) => [toLabel(one), one.name, one.member, one.value.modelName].includes(wanted))
      if (found.length > 0) return found[0]
      const factory = functions.find((one) => [toLabel(one), one.member].includes(wanted))
      const made = factory && callFactory(factory)
      if (made) return made
      const labels = [...new Set(all.map(toLabel))]
      throw new Refusal('there is no model ' + wanted + ' in ' + input.file, labels.length > 0 ? ['  models  ' + labels.join(', ')] : [])
    }
    for (const found of [models, registered, schemas]) {
      if (found.length === 1) return found[0]
      if (found.length > 1) {
        const labels = found.map(toLabel)
        throw new Refusal(
          input.file + ' has several models: ' + labels.join(', '),
          [],
          'choose one: --from-model ' + input.file + '#' + labels[0],
        )
      }
      // Before models that are registered: other files may have registered those.
      if (found === models && registered.length === 0) {
        const made = functions.flatMap((one) => callFactory(one) ?? [])
        if (made.length > 0) return made[0]
      }
    }
    throw new Refusal(
      input.file + ' has no model of Mongoose',
      ['  exports  ' + (entries.map(toLabel).join(', ') || 'none')],
      'it exports a model or a schema, returns one from a function of the connection, or calls mongoose.model',
    )
  }

  function toPlain(value) {
    if (value instanceof Date) return value.toISOString()
    if (typeof value === 'bigint') return String(value)
    if (value === null || typeof value !== 'object') return value
    if (value._bsontype !== undefined) return String(value)
    if (Array.isArray(value)) return value.map(toPlain)
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    return Object.fromEntries(entries.map(([key, one]) => [key, toPlain(one)]))
  }

  const isNow = (value) => value === Date.now || /^(\\(\\)|function\\s*\\w*\\s*\\(\\))\\s*(=>)?\\s*\\{?\\s*(return\\s+)?(new Date(\\(\\))?|Date\\.now\\(\\))\\s*;?\\s*\\}?$/.test(String(value))

  function describeDefault(type) {
    const { options } = type
    const stated = options.default
    if (stated === undefined || stated === Array) {
      if (type.defaultValue === undefined) return undefined
      return { by: type.instance === 'Array' ? 'mongoose' : type.defaultValue === Date.now ? 'now' : 'function' }
    }
    if (typeof stated === 'function') return { by: isNow(stated) ? 'now' : 'function' }
    return { value: toPlain(stated) }
  }

  const instances = { ObjectID: 'ObjectId', Embedded: 'Subdocument', DocumentArrayElement: 'Subdocument', SubdocumentPath: 'Subdocument', DocumentArray: 'Array' }

  function toLine(name) {
    const pattern = new RegExp('^\\\\s*([\\'"]?)' + name.replace(/[^\\w]/g, '\\\\$&') + '\\\\1\\\\s*:')
    const lines = input.text.split('\\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []))
    return lines.length === 1 ? lines[0] : undefined
  }

  ${sampleScript}
  function describe(name, type, seen, parentRef) {
    const options = type.options ?? {}
    const uses = []
    const described = { name, type: instances[type.instance] ?? type.instance, line: toLine(name) }
    if (type.isRequired) described.required = typeof type.originalRequiredValue === 'function' ? 'sometimes' : 'always'
    described.default = describeDefault(type)
    for (const validator of type.validators) {
      const { type: kind } = validator
      if (kind === 'enum') described.enum = validator.enumValues
      else if (kind === 'regexp') described.match = { source: validator.regexp.source, flags: validator.regexp.flags }
      else if (kind === 'minlength') described.minLength = validator.minlength
      else if (kind === 'maxlength') described.maxLength = validator.maxlength
      else if (kind === 'min' || kind === 'max') {
        const bound = validator[kind]
        if (typeof bound === 'function') uses.push(kind + '()')
        else described[kind] = toPlain(bound)
      } else if (kind !== 'required') uses.push('validate')
    }
    for (const word of ['trim', 'lowercase', 'uppercase']) if (options[word]) uses.push(word)
    if (typeof options.set === 'function') uses.push('set')
    if (typeof options.get === 'function') uses.push('get')
    if (typeof options.immutable === 'function') uses.push('immutable()')
    else if (options.immutable) described.immutable = true
    if (options.expires !== undefined) uses.push('expires')
    if (options.select === false) described.hidden = 'select: false'
    else if (options.private === true) described.hidden = 'private: true'
    if (options.unique) described.unique = true
    if (options.sparse) described.sparse = true
    if (typeof options.alias === 'string') described.alias = options.alias
    const ref = options.ref ?? parentRef
    if (options.refPath !== undefined) uses.push('refPath')
    else if (typeof ref === 'string') described.ref = ref
    else if (isModel(ref)) described.ref = ref.modelName
    else if (ref !== undefined) uses.push('ref()')
    if (uses.includes('validate') || uses.includes('set')) described.sample = findSample(type)
    if (uses.length > 0) described.uses = [...new Set(uses)]
    const variants = type.schema?.discriminators ?? type.discriminators
    if (variants) described.discriminators = toKinds(variants)
    if (type.$isMongooseDocumentArray) described.item = describeObject('item', type.schema, seen)
    else if (type.instance === 'Map') {
      const item = type.$__schemaType
      described.item = item ? describe('item', item, seen, ref) : { name: 'item', type: 'Mixed' }
    } else if (type.instance === 'Array') {
      const item = type.embeddedSchemaType ?? type.$embeddedSchemaType ?? type.caster
      described.item = item?.instance ? describe('item', item, seen, ref) : { name: 'item', type: 'Mixed' }
    } else if (type.schema) Object.assign(described, describeObject(name, type.schema, seen))
    return described
  }

  // The values of the key, which need not be the names of the models.
  function toKinds(variants) {
    return Object.entries(variants).map(([name, one]) => String((one.schema ?? one).discriminatorMapping?.value ?? name))
  }

  function describeObject(name, schema, seen) {
    if (seen.includes(schema)) return { name, type: 'Recursive' }
    const { timestamps } = schema.options
    const set = timestamps ? Object.values(toTimestamps(timestamps)) : []
    const members = toTree(schema, [...seen, schema]).filter((one) => !set.includes(one.name))
    const described = { name, type: 'Subdocument', members }
    if (set.length > 0) described.uses = ['timestamps']
    if (schema.options.strict === false) described.loose = true
    if (schema.discriminators) described.discriminators = toKinds(schema.discriminators)
    return described
  }

  function toTree(schema, seen) {
    const root = []
    for (const [path, type] of Object.entries(schema.paths)) {
      if (path.includes('$*')) continue
      const parts = path.split('.')
      let members = root
      for (const part of parts.slice(0, -1)) {
        let parent = members.find((one) => one.name === part)
        if (!parent) members.push((parent = { name: part, type: 'Nested', members: [], line: toLine(part) }))
        members = parent.members
      }
      members.push(describe(parts.at(-1), type, seen))
    }
    return root
  }

  function toTimestamps(option) {
    const names = typeof option === 'object' ? option : {}
    const result = {}
    for (const name of ['createdAt', 'updatedAt']) {
      const own = names[name] ?? true
      if (own !== false) result[name] = own === true ? name : own
    }
    return result
  }

  const ownHooks = ['countVersion', 'hideDeleted', 'setNumber']
  function listHooks(schema) {
    const { _pres: pres, _posts: posts } = schema.s.hooks
    const isOwn = ({ fn }) =>
      Object.getOwnPropertySymbols(fn).every((symbol) => !String(symbol).includes('built-in')) && !ownHooks.includes(fn.name)
    const names = new Set()
    for (const hooks of [pres, posts]) {
      for (const [name, list] of hooks) if (list.some(isOwn)) names.add(String(name))
    }
    return names
  }

  // Paths that the model's own toJSON leaves out.
  function listRemoved(model, paths) {
    try {
      const values = { String: 'x', Number: 1, Boolean: true, Date: new Date(0) }
      const given = paths.filter(({ type }) => type in values && type !== 'Mixed')
      const document = model.hydrate(Object.fromEntries(given.map(({ name, type }) => [name, values[type]])))
      const json = document.toJSON()
      const id = new Set(['_id', '__v', 'id'])
      return given.map(({ name }) => name).filter((name) => !id.has(name) && document.get(name) !== undefined && !(name in json))
    } catch {
      return []
    }
  }

  function describeModel({ is, name, member, argument, value }) {
    const model = is === 'schema' ? mongoose.model(input.model, value) : value
    if (mongoose.models[model.modelName] !== model) {
      throw new Refusal(
        'the model ' + model.modelName + ' belongs to another connection',
        [],
        'register it with mongoose.model, whose connection the routes use',
      )
    }
    const { schema } = model
    const { options } = schema
    const timestamps = options.timestamps ? toTimestamps(options.timestamps) : {}
    const paths = toTree(schema, [schema])
    const times = Object.values(timestamps)
    for (const path of paths) if (times.includes(path.name)) path.uses = [...(path.uses ?? []), 'time']
    for (const path of paths) if (path.name === schema.discriminatorMapping?.key && !schema.discriminatorMapping.isRoot) path.required = 'always'
    const removed = listRemoved(model, paths)
    for (const path of paths) if (removed.includes(path.name)) path.hidden ??= 'toJSON removes it'
    const plugins = schema.plugins.map(({ fn }) => fn.name)
    const isKept = Object.values(schema.paths).some((path) => path.options?.keepsDeleted === true)
    const marks = ['deleted', 'isDeleted', 'is_deleted', 'deletedAt', 'deleted_at']
    const methods = [...Object.keys(schema.statics), ...Object.keys(schema.methods)]
    const mark = marks.find((one) => schema.path(one) !== undefined)
    const hasPlugin = methods.some((one) => /^(soft_?delete|restore|delete$|deleteBy)/i.test(one))
    const base = schema.discriminatorMapping
    return {
      file: input.file,
      export: { is, name, member, argument },
      model: model.modelName,
      collection: model.collection.name,
      paths,
      versionKey: options.versionKey ?? false,
      timestamps,
      plugins: ['versioned', 'softDelete', 'integerIds'].filter((one) => plugins.includes(one)),
      indexes: [...new Set(schema.indexes().flatMap(([keys]) => {
        const [[first, direction] = []] = Object.entries(keys)
        return Math.abs(Number(direction)) === 1 ? [first] : []
      }))],
      virtuals: Object.keys(schema.virtuals).filter((one) => one !== 'id' && !(one in (schema.aliases ?? {}))),
      loose: options.strict === false ? true : undefined,
      discriminator: base && { key: base.key, value: base.isRoot ? undefined : base.value, others: toKinds(model.discriminators ?? {}) },
      hooks: [...listHooks(schema)],
      loaded: mongoose.connections.flatMap((connection) => Object.keys(connection.models)),
      deletedMark: !isKept && hasPlugin ? mark : undefined,
    }
  }

  let result
  try {
    mongoose = findMongoose()
    // Nothing is read or written, so nothing connects.
    mongoose.Connection.prototype.openUri = async function () {
      return this
    }
    result = { description: describeModel(choose(await import(input.url))) }
  } catch (error) {
    const { details, hint, message = String(error), name = 'Error', stack = '' } = error ?? {}
    result = error instanceof Refusal ? { refusal: { message, details, hint } } : { failure: { message, name, stack } }
  }
  finish({ ...result, printed: printed.join('') })
`
