import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8')
const rows = [...text.matchAll(/^\| ([A-Z]{2,4}-\d\d) /gm)].map(([, row = '']) => row)
const folders = ['packages', 'checks/test', 'test']

// The source of every test; its titles contain the rows.
const tests = folders
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:test|e2e)\.ts$|contract/.test(file) && !file.includes('node_modules'))
      .map((file) => path.join(root, folder, file)),
  )
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

describe('docs/security.md', () => {
  it('lists only rows that a test names', () => {
    expect(rows.length).toBeGreaterThan(110)
    expect(rows.filter((row) => !tests.includes(row))).toEqual([])
  })
})
