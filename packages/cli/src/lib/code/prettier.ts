// A separate file, so that the modules are bundled into one that is loaded on demand.
import * as babel from 'prettier/plugins/babel'
import * as estree from 'prettier/plugins/estree'
import { format } from 'prettier/standalone'

// The settings of the project template.
const style = { printWidth: 100, semi: false, singleQuote: true }

// Only the parser of JavaScript keeps the parentheses after a type in a comment.
export function formatCode(
  text: string,
  parser: 'babel' | 'babel-ts' = 'babel-ts',
): Promise<string> {
  return format(text, { parser, plugins: [babel, estree], ...style })
}
