import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import * as auth from '../../src/auth.ts'
import * as bulk from '../../src/bulk.ts'
import * as exported from '../../src/exports.ts'
import * as core from '../../src/index.ts'
import * as resource from '../../src/resource.ts'
import * as testing from '../../src/testing.ts'

// What the text calls and the framework does not export: Zod, Mongoose and the reader's own code.
const others = [
  'list',
  'get',
  'find',
  'index',
  'extend',
  'regex',
  'transform',
  'pick',
  'partial',
  'create',
  'replace',
  'remove',
  'model',
  'beforeAll',
  'afterAll',
  'it',
  'expect',
]

it('docs/resources.md names functions and decisions that exist', async () => {
  const folder = path.join(import.meta.dirname, '../../../../docs')
  const text = await readFile(path.join(folder, 'resources.md'), 'utf8')
  const calls = [...text.matchAll(/(?<![.\w-])([a-z][A-Za-z]+)\(/g)].map(([, name = '']) => name)
  const known = new Set([
    ...[bulk, core, exported, resource, auth, testing].flatMap(Object.keys),
    ...others,
  ])
  expect(calls.length).toBeGreaterThan(15)
  expect(calls.filter((name) => !known.has(name))).toEqual([])
  for (const [, link = ''] of text.matchAll(/\]\(((?!http)[^)#]+)/g)) {
    await expect(readFile(path.join(folder, link), 'utf8')).resolves.not.toBe('')
  }
})
