// The framework's own parts, which it does not export, bundled from its sources.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = new URL('../../packages/core/src/', import.meta.url)
// Below the packages that the sources import.
const folder = new URL('../../node_modules/.cache/ladder/', import.meta.url)

const modules = [
  'pipeline.ts',
  'lib/create-server.ts',
  'lib/fast/deferred-headers.ts',
  'lib/fast/prototypes.ts',
  'lib/http/error-handler.ts',
  'lib/route/define-route.ts',
  'lib/response/send-text.ts',
  'lib/stage/stage.ts',
  'lib/response/success.ts',
  'lib/resource/version.ts',
  'lib/routing/create-router.ts',
  'lib/routing/dispatch.ts',
  'lib/routing/registry.ts',
  'resource.ts',
]

const file = fileURLToPath(new URL('core.mjs', folder))

/** Bundles the modules above. */
export async function bundleInternals() {
  mkdirSync(folder, { recursive: true })
  const { build } = await import('esbuild')
  await build({
    stdin: {
      contents: modules.map((name) => `export * from './${name}'\n`).join(''),
      resolveDir: fileURLToPath(source),
    },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile: file,
    logLevel: 'error',
  })
}

/** @returns every export of the modules above, as they were bundled last */
export function loadInternals() {
  return import(file)
}
