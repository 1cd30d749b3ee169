import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../src/lib/transfer/run.ts'
import { connect, start, temporaryFolder } from './fresh-server.ts'

const page = readFileSync(
  new URL('../../../docs/from-embedded-to-mongodb.md', import.meta.url),
  'utf8',
)
const commands = [...page.matchAll(/^npx embedded-mongo (.+)$/gm)].map(([, text = '']) => text)

describe('docs/from-embedded-to-mongodb.md', () => {
  it('has commands that move the data to another server and back', async () => {
    const folder = temporaryFolder()
    const service = await start({ storage: { directory: join(folder, '.data') } })
    const posts = (await connect(service.uri)).db('app').collection('posts')
    await posts.insertMany([{ title: 'a' }, { title: 'b' }])
    await posts.createIndex({ title: 1 }, { unique: true })
    const server = await start({ port: 0 })
    expect(commands).toHaveLength(5)
    for (const command of commands) {
      const [tool = '', ...words] = command.split(' ')
      const argv = [tool, ...words.map((word) => toArgument(word, folder, server.uri))]
      const error: string[] = []
      const code = await run(argv, { out: () => {}, error: (text) => void error.push(text) })
      expect(code, `${command}: ${error.join('')}`).toBe(0)
    }
    const target = await connect(server.uri)
    for (const database of ['app', 'shop']) {
      const copy = target.db(database).collection('posts')
      expect(await copy.find().toArray()).toEqual(await posts.find().toArray())
      expect(await copy.indexes()).toEqual(await posts.indexes())
    }
  })
})

function toArgument(word: string, folder: string, uri: string): string {
  if (word === '"$MONGODB_URI"') return uri
  return /^(?:\.data|dump(?:\/app)?|back)$/.test(word) ? join(folder, word) : word
}
