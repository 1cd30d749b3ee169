import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { PageRunner } from './run-page.ts'

const docs = path.resolve(import.meta.dirname, '../../docs')
const cleanUp: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step()
})

async function createRunner(): Promise<PageRunner> {
  const folder = mkdtempSync(path.join(tmpdir(), 'docs-'))
  const runner = new PageRunner(folder, await findFreePort())
  cleanUp.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => runner.stop(),
  )
  return runner
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' ? address?.port : address)
}

describe('the documentation', () => {
  it('shows in "Getting started" what happens', async () => {
    const runner = await createRunner()
    expect(await runner.run('docs/getting-started.md')).toBeGreaterThan(15)
  })

  it('shows in the tutorial what happens, chapter after chapter', async () => {
    const runner = await createRunner()
    const chapters = readdirSync(path.join(docs, 'tutorial')).toSorted()
    expect(chapters).toHaveLength(6)
    for (const chapter of chapters) await runner.run(`docs/tutorial/${chapter}`)
  })

  it('has a skill that works in a new project', async () => {
    const runner = await createRunner()
    await runner.runText('```sh\nnpm create api@latest service\ncd service\n```\n')
    expect(await runner.run('packages/cli/skills/create-api/SKILL.md')).toBeGreaterThan(10)
  })
})
