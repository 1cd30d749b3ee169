import { defineConfig } from 'tsup'

// For browsers as well: nothing of Node, in one small file.
export default defineConfig({
  silent: true,
  esbuildOptions(options) {
    options.logLevel = 'warning'
  },
  entry: ['src/*.ts'],
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  minify: true,
  sourcemap: true,
  clean: true,
})
