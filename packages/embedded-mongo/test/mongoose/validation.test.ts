import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const user = () =>
  connection.model(
    'User',
    new Schema({
      name: { type: String, required: [true, 'a name is needed'] },
      age: { type: Number, min: 18, max: [99, 'too old: {VALUE}'] },
      role: { type: String, enum: ['user', 'admin'] },
      code: { type: String, match: /^\d{3}$/, minLength: 3 },
      even: {
        type: Number,
        validate: { validator: (value: number) => value % 2 === 0, message: 'odd' },
      },
    }),
  )

describe('mongoose validation', () => {
  it.each([
    [{}, 'name', 'required'],
    [{ name: 'a', age: 5 }, 'age', 'min'],
    [{ name: 'a', age: 100 }, 'age', 'max'],
    [{ name: 'a', role: 'root' }, 'role', 'enum'],
    [{ name: 'a', code: 'abc' }, 'code', 'regexp'],
    [{ name: 'a', even: 3 }, 'even', 'user defined'],
    [{ name: 'a', age: 'old' }, 'age', 'Number'],
  ])('rejects %j by path and kind', async (input, path, kind) => {
    const User = user()
    const attempt = new User(input).save()
    await expect(attempt).rejects.toMatchObject({
      name: 'ValidationError',
      errors: { [path]: { kind } },
    })
    expect(await User.countDocuments()).toBe(0)
  })

  it('uses the message of the schema', async () => {
    await expect(user().create({ name: 'a', age: 100 })).rejects.toThrow('too old: 100')
  })

  it('validates on save, not on load', async () => {
    const User = user()
    await User.collection.insertOne({ age: 1 })
    const doc = await User.findOne().orFail()
    doc.role = 'user'
    await expect(doc.save()).rejects.toMatchObject({ name: 'ValidationError' })
  })

  it('runs update validators on demand', async () => {
    const User = user()
    const { _id } = await User.create({ name: 'a', age: 20 })
    await expect(
      User.updateOne({ _id }, { age: 5 }, { runValidators: true }),
    ).rejects.toMatchObject({ errors: { age: { kind: 'min' } } })
    await User.updateOne({ _id }, { age: 5 })
    expect(await User.findById(_id).lean()).toMatchObject({ age: 5 })
  })

  it('awaits asynchronous validators that query the database', async () => {
    const schema = new Schema({
      email: {
        type: String,
        validate: {
          validator: async (email: string) =>
            (await connection.model('Member').exists({ email })) === null,
          message: 'taken',
        },
      },
    })
    const Member = connection.model('Member', schema)
    await Member.create({ email: 'a' })
    await expect(Member.create({ email: 'a' })).rejects.toThrow('taken')
  })

  it('skips validation on request', async () => {
    const User = user()
    await new User({ age: 1 }).save({ validateBeforeSave: false })
    expect(await User.countDocuments({ age: 1 })).toBe(1)
  })

  it('validates without saving', async () => {
    const User = user()
    await expect(new User({}).validate()).rejects.toThrow('a name is needed')
    expect(new User({ name: 'a' }).validateSync()).toBeUndefined()
    expect(await User.countDocuments()).toBe(0)
  })

  it('leaves uniqueness to the index', async () => {
    const Model = connection.model('Slug', new Schema({ slug: { type: String, unique: true } }))
    await Model.init()
    const results = await Promise.allSettled([
      Model.create({ slug: 'a' }),
      Model.create({ slug: 'a' }),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('rejects fields that are not in a strict: throw schema', async () => {
    const Model = connection.model('Throwing', new Schema({ a: Number }, { strict: 'throw' }))
    expect(() => new Model({ b: 1 })).toThrow(/not in schema/)
    expect(await Model.countDocuments()).toBe(0)
  })
})
