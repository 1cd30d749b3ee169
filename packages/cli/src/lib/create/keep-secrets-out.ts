import { join } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { secretsFile } from './project-files.ts'

// These files decide what git commits and what a container image contains.
const ignoreFiles: readonly string[] = ['.gitignore', '.dockerignore']

// Files that a folder already has are kept. Where one of them does not keep `.env` out, the line is added, because
// the first commit would contain the secret otherwise.
export function keepSecretsOut(root: string, files: readonly WantedFile[]): readonly WantedFile[] {
  return files.map((file) => {
    if (file.kind !== 'write' || !ignoreFiles.includes(file.path)) return file
    const before = readText(join(root, file.path))
    if (before === undefined || ignoresSecrets(before)) return file
    const eol = before.includes('\r\n') ? '\r\n' : '\n'
    const end = before === '' || before.endsWith('\n') ? '' : eol
    const text = `${before}${end}${secretsFile}${eol}`
    return { kind: 'edit', path: file.path, before, text, detail: `+${secretsFile}` }
  })
}

const patterns: ReadonlySet<string> = new Set(['.env', '/.env', '.env*', '/.env*', '*.env'])

// The last pattern that matches a file decides. A pattern that is not known here costs a redundant line.
function ignoresSecrets(text: string): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd())
  const last = lines.findLast((line) => line.startsWith('!') || patterns.has(line))
  return last !== undefined && !last.startsWith('!')
}
