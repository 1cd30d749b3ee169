import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import * as client from '../src/index.ts'

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

it('is at most 4 kB in the bundle of a front end, beside openapi-fetch', async () => {
  const { outputFiles } = await build({
    // Streams and uploads are imported by the clients of APIs that have them.
    stdin: {
      contents: "export { createApiClient } from './index.ts'",
      resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['openapi-fetch'],
    write: false,
  })
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles
  expect(contents.length).toBeGreaterThan(1000)
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(4096)
})
