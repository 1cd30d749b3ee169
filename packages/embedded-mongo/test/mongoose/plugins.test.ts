import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

function lastModified(schema: Schema, options: { field: string }): void {
  schema.add({ [options.field]: Date })
  schema.pre('save', function touch() {
    this.set(options.field, new Date(7))
  })
}

describe('mongoose plugins', () => {
  it('adds fields and hooks', async () => {
    const schema = new Schema({ n: Number })
    schema.plugin(lastModified, { field: 'touchedAt' })
    const Model = connection.model('Plugged', schema)
    const { _id } = await Model.create({ n: 1 })
    expect(await Model.findById(_id).lean()).toMatchObject({ touchedAt: new Date(7) })
  })

  it('adds statics such as paging', async () => {
    const schema = new Schema(
      { n: Number },
      {
        statics: {
          async page(number: number, size: number) {
            const [items, total] = await Promise.all([
              this.find()
                .sort('n')
                .skip((number - 1) * size)
                .limit(size)
                .lean(),
              this.countDocuments(),
            ])
            return { items, total }
          },
        },
      },
    )
    const Model = connection.model('Paged', schema)
    await Model.insertMany([1, 2, 3, 4, 5].map((n) => ({ n })))
    const { items, total } = await Model.page(2, 2)
    expect([items.map(({ n }) => n), total]).toEqual([[3, 4], 5])
  })

  it('can be loaded from a class', async () => {
    class Shouting {
      declare name: string
      get loud(): string {
        return this.name.toUpperCase()
      }
    }
    const Model = connection.model('Classy', new Schema({ name: String }).loadClass(Shouting))
    const doc = await Model.create({ name: 'a' })
    expect(doc.get('loud')).toBe('A')
  })
})
