import { defineEvent } from '@create-api/jobs/events'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publish } from './publish.ts'

const event = defineEvent('post.published', z.object({ id: z.string() }))
const schema = z.object({ id: z.string() })

describe('the audience of an event', () => {
  it.each([
    [{ owner: 'u1' }, [{ owner: 'u1' }]],
    [
      [{ owner: 'u1' }, { organization: 'o1' }],
      [{ owner: 'u1' }, { organization: 'o1' }],
    ],
    [undefined, []],
    [[], []],
  ])('%j', async (audience, filters) => {
    const published = publish(event, { schema, audience: () => audience })
    expect(await published.toAudience({ id: '1' })).toEqual(filters)
  })

  it('an id can be an ObjectId', async () => {
    const owner = new mongoose.Types.ObjectId()
    const published = publish(event, { schema, audience: () => ({ owner }) })
    expect(await published.toAudience({ id: '1' })).toEqual([{ owner: owner.toHexString() }])
  })

  // Each of these would be a filter that finds the endpoints of others, or of everyone.
  it.each([
    [{}],
    [{ owner: undefined }],
    [{ owner: null }],
    [{ owner: '' }],
    [{ owner: { $ne: null } }],
    [{ owner: ['u1'] }],
    [{ owner: 'u1', organization: 'o1' }],
    [{ $or: [] }],
    [{ _id: 'e1' }],
    [null],
    ['u1'],
  ])('%j is refused', async (audience: unknown) => {
    const published = publish(event, { schema, audience: () => audience as { owner: string } })
    await expect(published.toAudience({ id: '1' })).rejects.toThrow('audience() of post.published')
  })
})

describe('a published event', () => {
  it('has data as its schema says, and nothing more', () => {
    const data = (): unknown => ({
      id: new mongoose.Types.ObjectId('65f0c0ffee0123456789abcd'),
      a: 1,
    })
    const published = publish(event, { schema, audience: () => undefined, data })
    expect(published.toData({ id: '1' })).toEqual({ id: '65f0c0ffee0123456789abcd' })
  })

  it('refuses data that does not match', () => {
    const published = publish(event, { schema, audience: () => undefined, data: () => undefined })
    expect(() => published.toData({ id: '1' })).toThrow('does not match its schema')
  })

  it('needs a name of words and an audience', () => {
    const audience = (): undefined => undefined
    expect(() => publish(event, { name: 'a b', schema, audience })).toThrow('full stops')
    const none: unknown = { schema }
    expect(() => publish(event, none as { schema: z.ZodType; audience: () => undefined })).toThrow(
      'needs the function audience',
    )
  })
})
