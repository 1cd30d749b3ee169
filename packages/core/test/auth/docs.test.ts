import { readFile } from 'node:fs/promises'
import path from 'node:path'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAuth } from '../../src/lib/create-auth.ts'
import { toAccessName } from '../../src/lib/access/access.ts'
import { securityEventNames } from '../../src/lib/auth/events/security-events.ts'
import { silent, testSecret } from './auth-fixture.ts'

const file = path.join(import.meta.dirname, '../../../../docs/auth.md')
const text = await readFile(file, 'utf8')

describe('docs/auth.md', () => {
  it('lists every route with its access', () => {
    const auth = createAuth({
      secrets: [testSecret],
      connection: mongoose.createConnection(),
      logger: silent,
      userFields: { model: { name: String }, input: { name: z.string() } },
      mail: { mailer: { send: async () => {} }, appUrl: 'https://app.example.com' },
      apiKeys: {},
    })
    const listed = [...text.matchAll(/^\| `([A-Z]+) (\/\S+?)`? .*?\| (\w+) +\|/gm)].map(
      ([, method, route, access]) => `${method} ${route} ${access}`,
    )
    const routes = auth.router.routes.map(
      ({ method, path: route, access }) =>
        `${method.toUpperCase()} ${route} ${toAccessName(access)}`,
    )
    expect(listed.toSorted()).toEqual(routes.toSorted())
  })

  it('lists every security event', () => {
    const [, block = ''] = /<!-- events -->([\s\S]*?)<!-- \/events -->/.exec(text) ?? []
    const listed = [...block.matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name)
    expect(listed).toEqual([...securityEventNames])
  })
})

// Every row of the requirements about tokens, passwords, logins, refreshes and access.
const promised = [
  ['TOK', 14],
  ['PWD', 10],
  ['LOG', 9],
  ['REF', 13],
  ['AUZ', 7],
] as const

function toIds(group: string, last: number): string[] {
  return Array.from(
    { length: last },
    (_, index) => `${group}-${String(index + 1).padStart(2, '0')}`,
  )
}

describe('docs/security.md', () => {
  it('has a passing test for each row', async () => {
    const table = await readFile(path.join(path.dirname(file), 'security.md'), 'utf8')
    const rows = [...table.matchAll(/^\| ([A-Z]{3}-\d\d) +\| .*? \| +(.*?) +\|/gm)]
    const ids = rows.map(([, row]) => row)
    const wanted = promised.flatMap(([group, last]) => toIds(group, last))
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
    const open = rows.filter(([, , verdict]) => !/^\d+ pass$/.test(verdict ?? ''))
    expect(open.map(([, row]) => row)).toEqual([])
  })
})
