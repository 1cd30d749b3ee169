import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

function events() {
  const Event = connection.model(
    'Event',
    new Schema({ time: Number }, { discriminatorKey: 'kind' }),
  )
  const Click = Event.discriminator('Click', new Schema({ url: String }))
  const SignUp = Event.discriminator('SignUp', new Schema({ user: String }), 'signed-up')
  return { Event, Click, SignUp }
}

describe('mongoose discriminators', () => {
  it('shares a collection and stores the kind', async () => {
    const { Event, Click, SignUp } = events()
    await Click.create({ time: 1, url: '/' })
    await SignUp.create({ time: 2, user: 'a' })
    expect(await Event.find().sort('time').select('-_id kind').lean()).toEqual([
      { kind: 'Click' },
      { kind: 'signed-up' },
    ])
  })

  it('finds only its own kind', async () => {
    const { Event, Click, SignUp } = events()
    await Click.create([{ url: '/a' }, { url: '/b' }])
    await SignUp.create({ user: 'x' })
    expect(await Click.countDocuments()).toBe(2)
    expect(await SignUp.findOne({ user: 'x' })).toMatchObject({ user: 'x' })
    expect(await Event.countDocuments()).toBe(3)
  })

  it('returns documents of the right model', async () => {
    const { Event, Click } = events()
    await Click.create({ url: '/' })
    expect(await Event.findOne()).toBeInstanceOf(Click)
  })

  it('updates and deletes only its own kind', async () => {
    const { Event, Click, SignUp } = events()
    await Click.create({ time: 1 })
    await SignUp.create({ time: 1 })
    await Click.updateMany({}, { time: 5 })
    expect(await Event.countDocuments({ time: 5 })).toBe(1)
    await Click.deleteMany({})
    expect(await Event.countDocuments()).toBe(1)
  })

  it('creates by kind through the base model', async () => {
    const { Event, Click } = events()
    await new Event({ kind: 'Click', url: '/x' }).save()
    expect(await Click.findOne().lean()).toMatchObject({ url: '/x', kind: 'Click' })
  })

  it('aggregates only its own kind', async () => {
    const { Click, SignUp } = events()
    await Click.create([{ time: 1 }, { time: 2 }])
    await SignUp.create({ time: 10 })
    expect(await Click.aggregate([{ $group: { _id: null, sum: { $sum: '$time' } } }])).toEqual([
      { _id: null, sum: 3 },
    ])
  })

  it('works inside arrays of subdocuments', async () => {
    const shape = new Schema({ name: String }, { discriminatorKey: 'shape' })
    const schema = new Schema({ shapes: [shape] })
    const path = schema.path<Schema.Types.DocumentArray>('shapes')
    path.discriminator('Circle', new Schema({ radius: Number }))
    path.discriminator('Square', new Schema({ side: Number }))
    const Drawing = connection.model('Drawing', schema)
    const { _id } = await Drawing.create({
      shapes: [
        { shape: 'Circle', radius: 2 },
        { shape: 'Square', side: 3 },
      ],
    })
    expect((await Drawing.findById(_id).lean())?.shapes).toMatchObject([
      { shape: 'Circle', radius: 2 },
      { shape: 'Square', side: 3 },
    ])
  })
})
