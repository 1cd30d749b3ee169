import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

/** The code of docs/client.md, as files of a project that has the client of examples/blog. */
export interface DocsExamples {
  readonly folder: string
  readonly files: readonly string[]
  remove(): void
}

/**
 * Writes each block of code to a file: the one that its first line names, or one with a number.
 * @returns the files
 */
export function writeDocsExamples(): DocsExamples {
  const project = mkdtempSync(path.join(tmpdir(), 'create-api-docs-'))
  const folder = path.join(project, 'src')
  mkdirSync(folder)
  const page = readFileSync(path.join(root, 'docs/client.md'), 'utf8')
  // What checks/ has is found first, as by its tests.
  const own = path.join(root, 'checks/node_modules')
  if (existsSync(own)) symlinkSync(own, path.join(folder, 'node_modules'))
  symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'))
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}')
  copyFileSync(path.join(root, 'examples/blog/src/client.ts'), path.join(folder, 'client.ts'))
  const blocks = page.matchAll(/^```(tsx?)\n(?:\/\/ src\/(\S+)\n)?([\s\S]*?)^```/gm)
  const files = [...blocks].map(([, kind = '', name, code = ''], index) => {
    const file = path.join(folder, name ?? `block-${index}.${kind}`)
    writeFileSync(file, code)
    return file
  })
  return { folder, files, remove: () => rmSync(project, { recursive: true }) }
}
