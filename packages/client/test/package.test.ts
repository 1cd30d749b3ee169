import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'tsup'
import { expect, it, onTestFinished } from 'vitest'
import * as client from '../src/index.ts'
import * as passkeys from '../src/passkeys.ts'

const source = path.join(import.meta.dirname, '../src')

it('exports what generated clients and applications use', () => {
  expect(Object.keys(client).toSorted()).toEqual([
    'Failure',
    'createApiClient',
    'createLocalStore',
    'createMemoryStore',
    'createSession',
    'createSessionFetch',
    'form',
    'readEvents',
  ])
})

it('exports what pages with passkeys use', () => {
  expect(Object.keys(passkeys).toSorted()).toEqual([
    'canAutofillPasskeys',
    'loginWithPasskey',
    'reauthenticateWithPasskey',
    'registerPasskey',
  ])
})

it.each([
  // Streams and uploads are imported by the clients of APIs that have them.
  { name: 'the client', entry: 'index.ts', member: '{ createApiClient }', most: 4300 },
  { name: 'its functions for passkeys', entry: 'passkeys.ts', member: '*', most: 1100 },
])(
  'is at most $most bytes in the bundle of a front end, beside openapi-fetch: $name',
  async ({ entry: file, member, most }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'client-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const entry = path.join(folder, 'front-end.js')
    writeFileSync(entry, `export ${member} from ${JSON.stringify(path.join(source, file))}`)
    await build({
      config: false,
      entry: [entry],
      outDir: folder,
      outExtension: () => ({ js: '.min.js' }),
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      external: ['openapi-fetch'],
      minify: true,
      silent: true,
    })
    const bundle = readFileSync(path.join(folder, 'front-end.min.js'))
    expect(bundle.length).toBeGreaterThan(1000)
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(most)
  },
)
