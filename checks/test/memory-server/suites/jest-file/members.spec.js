const database = require('./database')
const { Member } = require('./members')

beforeAll(() => database.connect())
afterEach(() => database.clear())
afterAll(() => database.close())

test('saves a member', async () => {
  const member = await Member.create({ name: 'Ada', email: 'ada@example.org' })
  expect(member.createdAt).toBeInstanceOf(Date)
  expect(await Member.countDocuments()).toBe(1)
})

test('has an empty database in each test', async () => {
  expect(await Member.countDocuments()).toBe(0)
})

test('rejects a second member with the same address', async () => {
  await Member.init()
  await Member.create({ name: 'Ada', email: 'ada@example.org' })
  await expect(Member.create({ name: 'Eve', email: 'ada@example.org' })).rejects.toMatchObject({
    code: 11000,
  })
})

test('answers while timers and the clock are mocked', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
    now: new Date('2001-01-01'),
  })
  try {
    await Member.create({ name: 'Ada', email: 'ada@example.org' })
    const [member] = await Member.aggregate([{ $addFields: { now: '$$NOW' } }])
    expect(member.createdAt.getFullYear()).toBe(2001)
    expect(member.now.getFullYear()).toBeGreaterThan(2020)
  } finally {
    jest.useRealTimers()
  }
})
