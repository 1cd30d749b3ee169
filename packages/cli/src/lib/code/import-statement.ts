import { type Quote, quoted } from './literals.ts'

// An import of a module: `importStatement('{ one, type Two }', './module.js')`.
export function importStatement(clause: string, specifier: string, quote: Quote = "'"): string {
  return `import ${clause} from ${quoted(specifier, quote)}`
}
