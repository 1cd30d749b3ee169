// Models in the styles of existing applications: files, and what resources are generated for them.

interface ModelStyle {
  /** Name of the resource. */
  readonly resource: string
  /** Argument of `--from-model`. */
  readonly model: string
  readonly files: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

// Folders by layer; plugins that shape JSON and add pages; hashes in hooks.
const layered: ModelStyle = {
  resource: 'profiles',
  model: 'src/models/profile.model.ts',
  files: {
    'src/models/plugins/to-json.plugin.ts': `import { type Schema } from 'mongoose'

/** Removes the version and private fields from JSON. */
export function toJSON(schema: Schema): void {
  schema.set('toJSON', {
    transform(_document: unknown, json: Record<string, unknown>) {
      for (const path of Object.keys(schema.paths)) {
        if (schema.paths[path]?.options['private']) delete json[path]
      }
      json['id'] = String(json['_id'])
      delete json['_id']
      delete json['__v']
      return json
    },
  })
}
`,
    'src/models/plugins/paginate.plugin.ts': `import { type Schema } from 'mongoose'

/** Adds pages to a model. */
export function paginate(schema: Schema): void {
  schema.static('paginate', async function (filter: object, options: { limit?: number }) {
    const limit = options.limit ?? 10
    return { results: await this.find(filter).limit(limit), limit }
  })
}
`,
    'src/models/profile.model.ts': `import { createHash } from 'node:crypto'
import mongoose from 'mongoose'
import { paginate } from './plugins/paginate.plugin.js'
import { toJSON } from './plugins/to-json.plugin.js'

const roles = ['user', 'admin']

const profileSchema = new mongoose.Schema(
  {
    name: { type: String, required: true, trim: true },
    email: {
      type: String,
      required: true,
      unique: true,
      trim: true,
      lowercase: true,
      validate(value: string) {
        if (!/^[^@ ]+@[^@ ]+\\.[a-z]+$/.test(value)) throw new Error('Invalid email')
      },
    },
    password: {
      type: String,
      required: true,
      minlength: 8,
      validate(value: string) {
        if (!/\\d/.test(value) || !/[a-zA-Z]/.test(value)) {
          throw new Error('Password must contain at least one letter and one number')
        }
      },
      private: true,
    },
    role: { type: String, enum: roles, default: 'user' },
    isEmailVerified: { type: Boolean, default: false },
  },
  { timestamps: true },
)

profileSchema.plugin(toJSON)
profileSchema.plugin(paginate)

profileSchema.statics['isEmailTaken'] = async function (email: string) {
  return (await this.findOne({ email })) !== null
}

profileSchema.pre('save', async function () {
  if (this.isModified('password')) {
    this.password = createHash('sha256').update(this.password).digest('hex')
  }
})

export default mongoose.model('Profile', profileSchema)
`,
  },
}

// A plugin that adds user name, hash and salt, and functions to register.
const accounts: ModelStyle = {
  resource: 'members',
  model: 'src/models/member.ts',
  files: {
    'src/models/local-account.ts': `import { randomBytes } from 'node:crypto'
import { type Schema } from 'mongoose'

/** Adds the fields of a local account. */
export function localAccount(schema: Schema): void {
  schema.add({
    username: { type: String, required: true, unique: true },
    hash: { type: String, select: false },
    salt: { type: String, select: false },
    attempts: { type: Number, default: 0, select: false },
    last: { type: Date, select: false },
  })
  schema.method('setPassword', function (password: string) {
    const salt = randomBytes(8).toString('hex')
    this.set({ salt, hash: salt + password })
  })
  schema.static('register', async function (fields: object, password: string) {
    const member = new this(fields)
    Reflect.apply(Reflect.get(member, 'setPassword'), member, [password])
    return member.save()
  })
}
`,
    'src/models/member.ts': `import { model, Schema } from 'mongoose'
import { localAccount } from './local-account.js'

const Member = new Schema({
  username: String,
  nickname: { type: String, maxlength: 30 },
  birthday: { type: Date, max: new Date('2020-01-01') },
  address: { street: String, city: { type: String, default: 'Oslo' } },
  newsletter: { type: Boolean, default: true },
})

Member.plugin(localAccount)

export const MemberModel = model('Member', Member, 'people')
`,
  },
}

// A function of the connection.
const factory: ModelStyle = {
  resource: 'invoices',
  model: 'src/database/invoice.ts',
  files: {
    'src/database/invoice.ts': `import { type Connection, Schema } from 'mongoose'

const lineSchema = new Schema({
  sku: { type: String, required: true, uppercase: true, match: /^[A-Z]{3}-\\d{4}$/ },
  quantity: { type: Number, required: true, min: 1, max: 99 },
  price: { type: Schema.Types.Decimal128, required: true },
})

export default function createInvoice(connection: Connection) {
  const schema = new Schema(
    {
      number: { type: String, required: true, unique: true, immutable: true },
      customer: { type: Schema.Types.ObjectId, ref: 'Customer', index: true },
      lines: [lineSchema],
      paidAt: { type: Date, default: null },
      labels: { type: Map, of: String },
      reference: Schema.Types.UUID,
      total: BigInt,
    },
    { timestamps: { createdAt: 'created', updatedAt: 'changed' } },
  )
  schema.index({ paidAt: -1 })
  return connection.model('Invoice', schema)
}
`,
  },
}

// Interfaces, methods and virtuals.
const interfaces: ModelStyle = {
  resource: 'products',
  model: 'src/models/product.ts#Product',
  files: {
    'src/models/product.ts': `import { type HydratedDocument, type Model, model, Schema, type Types } from 'mongoose'

export interface IProduct {
  name: string
  slug: string
  price: number
  stock: { warehouse: string; amount: number }
  ratings: number[]
  category?: Types.ObjectId
  discount?: number
  internalNote?: string
  createdAt: Date
  updatedAt: Date
}

export interface IProductMethods {
  isAvailable(): boolean
}

export interface IProductModel extends Model<IProduct, {}, IProductMethods> {
  findBySlug(slug: string): Promise<HydratedDocument<IProduct, IProductMethods> | null>
}

const productSchema = new Schema<IProduct, IProductModel, IProductMethods>(
  {
    name: { type: String, required: [true, 'a product needs a name'], minlength: 2, maxlength: 80, index: true },
    slug: { type: String, required: true, unique: true, match: /^[a-z0-9-]+$/ },
    price: { type: Number, required: true, min: [0, 'too cheap'], index: true },
    stock: {
      warehouse: { type: String, required: true, enum: ['north', 'south'] },
      amount: { type: Number, required: true, min: 0 },
    },
    ratings: { type: [Number], required: true },
    category: { type: Schema.Types.ObjectId, ref: 'Category' },
    discount: {
      type: Number,
      required: function (this: IProduct) {
        return this.price > 1_000_000
      },
    },
    internalNote: { type: String, select: false },
  },
  { timestamps: true, versionKey: false },
)

productSchema.virtual('label').get(function () {
  return this.name
})
productSchema.method('isAvailable', function () {
  return this.stock.amount > 0
})
productSchema.static('findBySlug', function (slug: string) {
  return this.findOne({ slug })
})

export const currencies = ['EUR', 'USD']
export const Product = model<IProduct, IProductModel>('Product', productSchema)
export const Draft = model('Draft', new Schema({ name: String }))
`,
  },
}

// One collection with several kinds of documents.
const kinds: ModelStyle = {
  resource: 'clicks',
  model: 'src/models/activity.ts#Click',
  files: {
    'src/models/activity.ts': `import mongoose from 'mongoose'

const options = { discriminatorKey: 'kind', collection: 'activities' }

export const Activity = mongoose.model(
  'Activity',
  new mongoose.Schema({ at: { type: Date, default: Date.now, index: true } }, options),
)

export const Click = Activity.discriminator(
  'Click',
  new mongoose.Schema({ url: { type: String, required: true }, x: Number, y: Number }, options),
)

export const Signup = Activity.discriminator(
  'Signup',
  new mongoose.Schema({ plan: { type: String, enum: ['free', 'paid'], required: true } }, options),
)
`,
  },
}

// CommonJS of earlier years: text ids, aliases, a soft delete, and a message while it loads.
const commonJs: ModelStyle = {
  resource: 'parcels',
  model: 'lib/parcel.cjs',
  files: {
    'lib/parcel.cjs': `var mongoose = require('mongoose')
var Schema = mongoose.Schema

console.log('loading parcels')

var ParcelSchema = new Schema({
  _id: { type: String, required: true },
  w: { type: Number, alias: 'weight', required: true },
  sender: { type: Schema.ObjectId, refPath: 'senderKind' },
  senderKind: { type: String, enum: ['Shop', 'Person'] },
  status: { type: String, lowercase: true, trim: true, default: 'new' },
  meta: {},
  photo: Buffer,
  deleted: { type: Boolean, default: false },
  deletedAt: Date
})

ParcelSchema.methods.softDelete = function (done) {
  this.deleted = true
  this.deletedAt = new Date()
  return this.save(done)
}

module.exports = mongoose.model('Parcel', ParcelSchema)
`,
  },
}

export const styles: readonly ModelStyle[] = [
  layered,
  accounts,
  factory,
  interfaces,
  kinds,
  commonJs,
]
