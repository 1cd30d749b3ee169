import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'tsup'
import { expect, it, onTestFinished } from 'vitest'
import * as client from '../src/index.ts'

const entryPoint = path.join(import.meta.dirname, '../src/index.ts')

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

it('is at most 4.3 kB in the bundle of a front end, beside openapi-fetch', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // Streams and uploads are imported by the clients of APIs that have them.
  const entry = path.join(folder, 'front-end.js')
  writeFileSync(entry, `export { createApiClient } from ${JSON.stringify(entryPoint)}`)
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
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(4300)
})
