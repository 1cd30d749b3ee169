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
  // Bundled CommonJS (commander, handlebars) still calls require.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
