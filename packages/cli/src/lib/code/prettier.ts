// A separate file, so that the modules are bundled into one that is loaded on demand.
import * as babel from 'prettier/plugins/babel'
import * as estree from 'prettier/plugins/estree'
import { format } from 'prettier/standalone'

// The settings of the project template.
const style = { printWidth: 100, semi: false, singleQuote: true }

export function formatCode(text: string): Promise<string> {
  return format(text, { parser: 'babel-ts', plugins: [babel, estree], ...style })
}
