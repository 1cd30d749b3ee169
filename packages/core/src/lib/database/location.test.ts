import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeDatabase, parseDatabaseUri } from './location.ts'

describe('parseDatabaseUri', () => {
  it.each([
    ['mongodb://h/db', { kind: 'server', uri: 'mongodb://h/db' }],
    ['embedded:memory', { kind: 'memory' }],
    ['embedded:./memory', { kind: 'folder', directory: path.resolve('memory') }],
    ['embedded:.data/db', { kind: 'folder', directory: path.resolve('.data/db') }],
  ])('reads %s', (uri, location) => {
    expect(parseDatabaseUri(uri)).toEqual(location)
  })
})

describe('describeDatabase', () => {
  it.each([
    [
      'mongodb://user:secret@host:1,other:2/shop?replicaSet=rs0',
      'MongoDB at mongodb://host:1,other:2/shop',
    ],
    ['mongodb+srv://host/shop', 'MongoDB at mongodb+srv://host/shop'],
    ['embedded:memory', 'embedded database in memory (lost when the process exits)'],
    ['embedded:.data/db', `embedded database in ${path.join('.data', 'db')}`],
    ['embedded:../other', `embedded database in ${path.resolve('../other')}`],
  ])('LGG-01 describes %s without the password', (uri, text) => {
    expect(describeDatabase(uri)).toBe(text)
  })
})
