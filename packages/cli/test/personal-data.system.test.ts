import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedJavaScript, runInProject, sourceEnv } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

function api(cwd: string, args: readonly string[], input?: string): Promise<Result> {
  const options = input === undefined ? {} : { input }
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv, ...options })
}

const fill = `
import { withDatabase } from '@create-api/core'
import { createDocument } from '@create-api/core/resource'
import { api } from './src/app.js'
import { NoteModel } from './src/resources/notes/notes.model.js'
await withDatabase(api, async () => {
  const { id: owner } = await api.auth.users.findByEmail('ada@example.com')
  for (const title of ['One', 'Two']) await createDocument(NoteModel, { title, owner }, { scope: {} })
})
`

// The process ends in the middle, as if it had been killed.
const kill = `
import { withDatabase } from '@create-api/core'
import { erasePerson } from '@create-api/core/personal-data'
import { api } from './src/app.js'
import { NoteModel } from './src/resources/notes/notes.model.js'
await withDatabase(api, async () => {
  const { id } = await api.auth.users.findByEmail('ada@example.com')
  const { deleteMany } = NoteModel.collection
  NoteModel.collection.deleteMany = async (...args) => {
    await deleteMany.apply(NoteModel.collection, args)
    process.exit(0)
  }
  await erasePerson(api.auth, id)
})
`

describe('api users export and erase', () => {
  it('writes the data of a user, lists what would go, and erases it', async () => {
    const root = await createLinkedJavaScript()
    await api(root, ['generate', 'resource', 'notes', '--access', 'owner', '--audit'])
    for (const email of ['ada@example.com', 'root@example.com']) {
      const role = email.startsWith('root') ? ['--role', 'admin'] : []
      const args = ['users', 'create', '--email', email, '--password-stdin', ...role]
      expect((await api(root, args, 'TestRiver42!')).code).toBe(0)
    }
    await runInProject(root, fill)
    const file = join(root, 'ada.ndjson')
    const exported = await api(root, ['users', 'export', 'ada@example.com', '--out', 'ada.ndjson'])
    expect(exported).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('written to ada.ndjson'),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ relation }) => relation === 'owner')).toHaveLength(2)
    const unconfirmed = await api(root, ['users', 'erase', 'ada@example.com', '--json'])
    expect(unconfirmed.code).toBe(2)
    const { error } = JSON.parse(unconfirmed.stdout)
    expect(error.hint).toContain('to confirm: --yes')
    expect(error.details.join('\n')).toMatch(/notes +delete +2/)
    const id = String(error.message.split(' ')[0])
    await runInProject(root, kill)
    const resumed = JSON.parse((await api(root, ['users', 'erase', id, '--yes', '--json'])).stdout)
    expect(resumed).toMatchObject({ ok: true, started: true })
    expect(await api(root, ['users', 'erase', id, '--yes'])).toMatchObject({ code: 2 })
    expect((await api(root, ['audit', 'verify'])).code).toBe(0)
    expect((await api(root, ['audit', 'list', '--json'])).stdout).not.toContain('One')
    expect(await api(root, ['users', 'erase', 'root@example.com', '--yes'])).toMatchObject({
      code: 3,
    })
    expect((await api(root, ['users', 'export', 'x@example.com'])).stderr).toContain('no such user')
  })
})
