import type { ParserOptions } from '@babel/parser'
import type { File } from '@babel/types'

const options: ParserOptions = {
  sourceType: 'module',
  plugins: ['typescript', 'decorators'],
  attachComment: false,
}

// Parses TypeScript; the parser is loaded by the first call. Positions count from the start of the
// source, a byte order mark included.
export async function parseCode(source: string): Promise<File> {
  const { parse } = await import('./parser.ts')
  return parse(source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source, options)
}
