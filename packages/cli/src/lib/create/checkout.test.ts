import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../../../test/run-program.ts'
import { readTarballs } from './checkout.ts'

const names = [
  'core',
  'cli',
  'client',
  'embedded-mongo',
  'jobs',
  'mcp',
  'sign-in',
  'webhooks',
  'templates',
]

function createCheckout(): string {
  const root = createTemporaryFolder()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const name of names) {
    const folder = name === 'templates' ? name : `packages/${name}`
    write(`${folder}/package.json`, JSON.stringify({ name: `@test/${name}`, version: '1.0.0' }))
    write(`node_modules/.cache/tarballs/test-${name}-1.0.0.tgz`, name)
  }
  return root
}

describe('readTarballs', () => {
  it('reads the tarball of every package', () => {
    const tarballs = readTarballs(createCheckout())
    expect(tarballs.map(({ content, file, name }) => [name, file, content.toString()])).toEqual(
      names.map((name) => [`@test/${name}`, `test-${name}-1.0.0.tgz`, name]),
    )
  })

  it('rejects a checkout without one of them', () => {
    const root = createCheckout()
    rmSync(join(root, 'node_modules/.cache/tarballs/test-core-1.0.0.tgz'))
    const message = '@test/core has not been built: test-core-1.0.0.tgz is missing'
    expect(() => readTarballs(root)).toThrow(
      expect.objectContaining({ message, hint: 'run npm run build in the checkout' }),
    )
  })
})
