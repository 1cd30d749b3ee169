import { defineConfig } from 'tsup'

// One recipe for every package: only the doors, src/*.ts, are entries.
export default defineConfig({
  entry: ['src/*.ts', '!src/*.test.ts'],
  format: ['esm'],
  target: 'node20',
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  splitting: true,
  sourcemap: true,
  clean: true,
  // Bundled CommonJS (commander, handlebars) still calls require. The name is one no source has.
  banner: {
    js: "import { createRequire as __bannerRequire } from 'node:module'; const require = __bannerRequire(import.meta.url);",
  },
})
