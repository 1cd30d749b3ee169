import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { countCodeLines, listPackages } from '../scripts/measure/code-lines.js'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

describe('the root of the repository', () => {
  it('has fewer than ten configuration files beside the lock', () => {
    const documents = /^(?:[A-Z]+(?:\.md)?|package-lock\.json)$/
    const configuration = files.filter((file) => !file.includes('/') && !documents.test(file))
    expect(configuration).toHaveLength(9)
  })

  it('has fewer than fifteen npm scripts', () => {
    expect(Object.keys(JSON.parse(read('package.json')).scripts).length).toBeLessThan(15)
  })

  it('has no script outside the folders of scripts/', () => {
    const entries = readdirSync(path.join(root, 'scripts'), { withFileTypes: true })
    expect(entries.filter((entry) => !entry.isDirectory())).toEqual([])
  })
})

describe('JSON files', () => {
  it('contain no key twice in one object', () => {
    const own = files.filter(
      (file) => file.endsWith('.json') && !file.endsWith('package-lock.json'),
    )
    expect(own.length).toBeGreaterThan(30)
    expect(own.flatMap((file) => findRepeatedKeys(file))).toEqual([])
  })

  it('are searched in every nested object', () => {
    const text = '{ "a": [{ "b": 1, "c": 2, "b": 3 }] }'
    expect(findRepeatedKeysIn(ts.parseJsonText('own.json', text))).toEqual(['"b"'])
  })
})

// A slow or busy machine must not fail a test. Time that grows too fast with the input is a ratio (`measure-growth.ts`),
// what never ends reaches the timeout of the test, and `expect.poll` has its own in `vitest.config.ts`.
describe('tests', () => {
  const durations =
    /performance\.now\(\) - \w+\)\s*\.toBeLess|process\.cpuUsage|vi\.wait(?:For|Until)\(/

  it('neither have a maximum for elapsed time nor wait for one second only', () => {
    const own = files.filter((file) => /\.(?:test|e2e)\.ts$/.test(file))
    const others = own.filter((file) => path.join(root, file) !== import.meta.filename)
    expect(others.length).toBeGreaterThan(300)
    expect(others.filter((file) => durations.test(read(file)))).toEqual([])
  })

  it.each([
    'expect(performance.now() - start).toBeLessThan(500)',
    'const before = process.cpuUsage()',
    'await vi.waitFor(() => {',
  ])('are searched for %s', (code) => {
    expect(code).toMatch(durations)
  })
})

describe.each(listPackages())('packages/%s', (name) => {
  // `node scripts/measure/code-lines.js` prints the number.
  it('states its size in the README within 10 %', () => {
    const counts = [...countCodeLines(name).values()]
    const lines = counts.reduce((sum, count) => sum + count, 0)
    const [, stated = ''] =
      /([\d,]+)\s+lines\s+of\s+code/.exec(read(`packages/${name}/README.md`)) ?? []
    const number = Number(stated.replace(',', ''))
    expect(number).toBeGreaterThan(lines * 0.9)
    expect(number).toBeLessThan(lines * 1.1)
  })
})

function findRepeatedKeys(file: string): string[] {
  return findRepeatedKeysIn(ts.parseJsonText(file, read(file))).map((key) => `${file}: ${key}`)
}

function findRepeatedKeysIn(node: ts.Node, source = node.getSourceFile()): string[] {
  const names = ts.isObjectLiteralExpression(node)
    ? node.properties.map((property) => property.name?.getText(source) ?? '')
    : []
  const inner: string[] = []
  node.forEachChild((child) => void inner.push(...findRepeatedKeysIn(child, source)))
  return [...names.filter((key, index) => names.indexOf(key) < index), ...inner]
}
