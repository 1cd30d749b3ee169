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

const root = path.resolve(import.meta.dirname, '../..')

/** A block with the code of another framework: its language and its lines. */
export const codeBefore = /^Before: .+\n\n```(\w+)\n([\s\S]*?)^```/gm

/** The code of a page, as files of a project. */
export interface DocsExamples {
  readonly folder: string
  readonly files: readonly string[]
  remove(): void
}

/**
 * Writes each block of code of a page to a file: the one that its first line names, or one with a number. The code of other
 * frameworks, after "Before: …", is left out.
 * @param page - path below `docs/`
 * @param others - files of the project by their paths: where their text is
 * @returns the files
 */
export function writeDocsExamples(
  page: string,
  others: Readonly<Record<string, string>> = {},
): DocsExamples {
  const project = mkdtempSync(path.join(tmpdir(), 'create-api-docs-'))
  const folder = path.join(project, 'src')
  mkdirSync(folder)
  const text = readFileSync(path.join(root, 'docs', page), 'utf8')
  // What checks/ has is found first, as by its tests.
  const own = path.join(root, 'checks/node_modules')
  if (existsSync(own)) symlinkSync(own, path.join(folder, 'node_modules'))
  symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'))
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}')
  for (const [name, source] of Object.entries(others))
    copyFileSync(path.join(root, source), path.join(project, name))
  const blocks = text
    .replaceAll(codeBefore, '')
    .matchAll(/^```(tsx?)\n(?:\/\/ (\S+\.\w+)\n)?([\s\S]*?)^```/gm)
  const files = [...blocks].map(([, kind = '', name, code = ''], index) => {
    const file = path.join(project, name ?? `src/block-${index}.${kind}`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, code)
    return file
  })
  return { folder, files, remove: () => rmSync(project, { recursive: true }) }
}
