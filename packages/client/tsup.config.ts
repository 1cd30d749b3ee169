import { defineConfig } from 'tsup'

// For browsers as well: nothing of Node, in one small file.
export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  minify: true,
  sourcemap: true,
  clean: true,
})
