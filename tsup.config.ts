import { existsSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

const target = 'node20'

// For every package: only its entry points, src/*.ts.
const entryPoints: Options = {
  // tsup would report every file; what it hides with this, errors and warnings, esbuild prints.
  silent: true,
  entry: ['src/*.ts', '!src/*.test.ts', '!src/worker.ts'],
  format: ['esm'],
  target,
  // Found in the project that uses core, of which it is a development dependency.
  external: ['@create-api/embedded-mongo'],
  splitting: true,
  sourcemap: true,
  clean: true,
  // Our own packages are bundled from source: their dist has the banner below, which must occur once.
  esbuildOptions(options) {
    options.logLevel = 'warning'
    options.conditions = ['@create-api/source']
    // Its CommonJS half has calls of require that cannot be bundled.
    options.alias = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }
  },
  // Bundled CommonJS (commander, handlebars) still calls require. The name is one no source has.
  banner: {
    js: "import { createRequire as __bannerRequire } from 'node:module'; const require = __bannerRequire(import.meta.url);",
  },
}

// A thread starts sooner with one CommonJS file: it needs neither the loader of modules nor the
// search for others. Jest requires its packages as CommonJS.
const commonJs: Options = {
  silent: true,
  esbuildOptions(options) {
    options.logLevel = 'warning'
  },
  entry: ['src/worker.ts', 'src/index.ts'],
  format: ['cjs'],
  target,
  shims: true,
  minify: true,
  sourcemap: true,
}

export default defineConfig(existsSync('src/worker.ts') ? [entryPoints, commonJs] : [entryPoints])
