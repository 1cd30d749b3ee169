import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../../../test/run-program.ts'
import { packCheckout } from './checkout.ts'

const folders = ['packages/core', 'packages/cli', 'packages/embedded-mongo', 'templates']

// A checkout whose packages have a door in dist, and what is in it.
function createCheckout(files: readonly string[]): string {
  const root = createTemporaryFolder()
  const manifest = {
    version: '1.0.0',
    files: ['dist', '!dist/**/*.test.js'],
    bin: { tool: './bin/tool.js' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  }
  for (const folder of folders) {
    mkdirSync(join(root, folder, 'dist'), { recursive: true })
    const text = JSON.stringify({ ...manifest, name: `@test/${folder.split('/').at(-1)}` })
    writeFileSync(join(root, folder, 'package.json'), text)
    for (const file of files) {
      mkdirSync(dirname(join(root, folder, file)), { recursive: true })
      writeFileSync(join(root, folder, file), '')
    }
  }
  return root
}

const built = ['bin/tool.js', 'dist/index.js', 'dist/index.d.ts']

describe('packCheckout', () => {
  it('packs every package', () => {
    const packed = packCheckout(createCheckout(built))
    expect(packed.map(({ file }) => file)).toContain('test-core-1.0.0.tgz')
    expect(packed).toHaveLength(4)
  })

  it.each(built)('refuses a checkout without %s, with the cure', (missing) => {
    const root = createCheckout(built.filter((file) => file !== missing))
    const message = `@test/core has not been built: ./${missing} is missing`
    expect(() => packCheckout(root)).toThrow(
      expect.objectContaining({ message, hint: 'run npm run build in the checkout' }),
    )
  })
})
