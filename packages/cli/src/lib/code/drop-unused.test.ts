import { describe, expect, it } from 'vitest'
import { dropUnused } from './drop-unused.ts'

const setup = `const used = 1
const unused = 2
// What only the next function uses.
let count = 0
const store = { item: unused }

let client: Client

beforeAll(async () => {
  client = await createClient()
  const parent = await client.insert('Parent')
  store.item = parent.id
  count = used
  globalThis.other = 1
})

/**
 * Counts.
 */
function next() {
  count += 1
  return count
}
`

describe('dropUnused', () => {
  it('keeps what tests use, and what that uses', async () => {
    const text = `${setup}\nit('works', () => client.send(next(), store))\n`
    expect(await dropUnused(text)).toBe(text)
  })

  it('removes the rest, with its comments and what is set in beforeAll', async () => {
    expect(await dropUnused(`${setup}\nit('works', () => client.send())\n`)).toBe(`
let client: Client

beforeAll(async () => {
  client = await createClient()
  globalThis.other = 1
})

\nit('works', () => client.send())\n`)
  })

  it('does not take a property or an assignment for a use', async () => {
    const text = 'let path: string\nconst absent = 1\nit(() => one.path({ absent: 2 }))\n'
    expect(await dropUnused(text)).toBe('it(() => one.path({ absent: 2 }))\n')
    const shorthand = 'const absent = 1\nit(() => one.path({ absent }))\n'
    expect(await dropUnused(shorthand)).toBe(shorthand)
  })

  it('keeps declarations of several names, exports and what beforeAll calls', async () => {
    const text =
      'const { a, b } = c\nexport const d = 1\nbeforeAll(start)\nbeforeAll(async () => {\n  await start()\n})\n'
    expect(await dropUnused(text)).toBe(text)
  })
})
