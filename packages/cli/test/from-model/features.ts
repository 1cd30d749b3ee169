// Parts of Mongoose schemas. docs/existing-models.md has what becomes of each as a table, which the test writes.

/** A field, and the path of what is reported about it if that is not its name. */
export interface FieldFeature {
  readonly feature: string
  readonly code: string
  readonly path?: string
}

const field = (feature: string, code = feature, path = ''): FieldFeature => ({
  feature,
  code,
  path,
})

export const fields: readonly FieldFeature[] = [
  field('`String`', 'String'),
  field('`required: true`', '{ type: String, required: true }'),
  field('`minlength`, `maxlength`', '{ type: String, minlength: 2, maxlength: 80 }'),
  field('`match: /^[a-z]+$/`', '{ type: String, match: /^[a-z]+$/ }'),
  field('`match` with flags', '{ type: String, match: /^[a-z]+$/i }'),
  field('`enum` of texts', "{ type: String, enum: ['a', 'b'] }"),
  field('`trim: true`', '{ type: String, trim: true }'),
  field('`lowercase: true`', '{ type: String, lowercase: true }'),
  field('`Number`', 'Number'),
  field('`min`, `max`', '{ type: Number, min: 1, max: 5 }'),
  field('`enum` of numbers', '{ type: Number, enum: [1, 2] }'),
  field('`Int32`', 'Schema.Types.Int32'),
  field('`Double`', 'Schema.Types.Double'),
  field('`BigInt`', 'BigInt'),
  field('`Decimal128`', 'Schema.Types.Decimal128'),
  field('`Boolean`', 'Boolean'),
  field('`Date`', 'Date'),
  field('`min` of a date', "{ type: Date, min: new Date('2020-01-01') }"),
  field('`expires`', "{ type: Date, expires: '1d' }"),
  field('`ObjectId`', 'Schema.Types.ObjectId'),
  field("`ref: 'User'`", "{ type: Schema.Types.ObjectId, ref: 'User' }"),
  field('`ref`, a function', "{ type: Schema.Types.ObjectId, ref: () => 'User' }"),
  field('`refPath`', "{ type: Schema.Types.ObjectId, refPath: 'f0' }"),
  field('a list of references', "[{ type: Schema.Types.ObjectId, ref: 'User' }]"),
  field('`UUID`', 'Schema.Types.UUID'),
  field('`Buffer`', 'Buffer'),
  field('`Mixed`', 'Schema.Types.Mixed'),
  field('`Mixed`, required', '{ type: Schema.Types.Mixed, required: true }'),
  field('`Union`', '{ type: Schema.Types.Union, of: [String, Number] }'),
  field('`[String]`', '[String]'),
  field('`[[Number]]`', '[[Number]]'),
  field('a list without default', '{ type: [String], default: undefined }'),
  field('a list with a validator', '{ type: [String], validate: () => true }'),
  field('a list of subdocuments', '[{ sku: { type: String, required: true } }]'),
  field('a subdocument', 'new Schema({ city: String }, { _id: false })'),
  field('a nested object', '{ city: String }'),
  field('a nested object, required', '{ city: { type: String, required: true } }'),
  field('a nested object with a default', "{ city: { type: String, default: 'Oslo' } }"),
  field('a subdocument with `timestamps`', 'new Schema({ a: String }, { timestamps: true })'),
  field('a subdocument with `strict: false`', 'new Schema({ a: String }, { strict: false })'),
  field('a hidden member', '{ a: String, b: { type: String, select: false } }'),
  field('a schema that contains itself', 'tree', 'children'),
  field('`Map` of numbers', '{ type: Map, of: Number }'),
  field('`Map` without a type', 'Map'),
  field('kinds of subdocuments', 'shapes'),
  field('`default`, a value', "{ type: String, default: 'new' }"),
  field('`default: null`', '{ type: String, default: null }'),
  field('`default: Date.now`', '{ type: Date, default: Date.now }'),
  field('`default`, a function', "{ type: String, default: () => 'a' + Math.random() }"),
  field('`default` and `required`', "{ type: String, required: true, default: () => 'a' }"),
  field('`default` of another type', "{ type: Number, default: '0' }"),
  field('`required`, a function', '{ type: String, required: () => false }'),
  field('`validate`', '{ type: String, validate: (value) => value.length > 1 }'),
  field('`get`', '{ type: String, get: (value) => value }'),
  field('`set`', '{ type: String, set: (value) => value }'),
  field('`immutable: true`', '{ type: String, immutable: true }'),
  field('`immutable`, a function', '{ type: String, immutable: () => true }'),
  field('`alias`', "{ type: String, alias: 'other' }"),
  field('`unique: true`', '{ type: String, unique: true }'),
  field('`select: false`', '{ type: String, select: false }'),
  field('`select: false`, required', '{ type: String, select: false, required: true }'),
  field('`private: true`', '{ type: String, private: true }'),
]

/** A separate model, and the path of what is reported about it; empty if it is refused. */
export interface ModelFeature {
  readonly feature: string
  readonly schema: string
  readonly path: string
}

const schema = (feature: string, code: string, path: string): ModelFeature => ({
  feature,
  schema: code,
  path,
})

export const models: readonly ModelFeature[] = [
  schema('a text named like a secret', 'new Schema({ apiKey: String })', 'apiKey'),
  schema(
    'a field that `toJSON` removes',
    'new Schema({ note: String }, { toJSON: { transform: (_, { note, ...rest }) => rest } })',
    'note',
  ),
  schema('a virtual', "new Schema({}, { virtuals: { label: { get: () => 'a' } } })", 'label'),
  schema('`versionKey: false`', 'new Schema({}, { versionKey: false })', 'ETag'),
  schema("`versionKey: 'revision'`", "new Schema({}, { versionKey: 'revision' })", 'ETag'),
  schema('no plugin `versioned`', 'new Schema({})', 'ETag'),
  schema('hooks of `save`', "new Schema({}).pre('save', function audit() {})", 'hooks'),
  schema('`strict: false`', 'new Schema({}, { strict: false })', 'strict'),
  schema(
    'a plugin that keeps deleted documents',
    'new Schema({ deleted: Boolean }, { methods: { restore() {} } })',
    'deleted',
  ),
  schema('`_id: String`', 'new Schema({ _id: String })', '_id'),
  schema('`_id`, an object', 'new Schema({ _id: { a: Number } })', ''),
  schema('`Buffer`, required', 'new Schema({ a: { type: Buffer, required: true } })', ''),
  schema('a field `id`, required', 'new Schema({ id: { type: Number, required: true } })', ''),
]
