import type { ParserOptions, ParserPlugin } from '@babel/parser'
import type { File } from '@babel/types'

const options: ParserOptions = { sourceType: 'module', attachComment: false }

// Parameters have decorators only in the older form, and with JSX `<Type>value` does not convert.
const dialects: readonly ParserPlugin[][] = [
  ['typescript', 'decorators'],
  ['typescript', 'decorators-legacy'],
  ['typescript', 'decorators-legacy', 'jsx'],
]

// Parses TypeScript; the parser is loaded by the first call. Positions count from the start of the
// source, a byte order mark included.
export async function parseCode(source: string): Promise<File> {
  const { parse } = await import('./parser.ts')
  const text = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source
  const errors: unknown[] = []
  for (const plugins of dialects) {
    try {
      return parse(text, { ...options, plugins })
    } catch (error) {
      errors.push(error)
    }
  }
  throw errors[0]
}
