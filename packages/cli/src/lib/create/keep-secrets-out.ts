import { join } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { secretsFile } from './project-files.ts'

// These files decide what git commits and what a container image contains, with the line that keeps the secret out.
const ignoreFiles: ReadonlyMap<string, string> = new Map([
  ['.gitignore', secretsFile],
  ['.dockerignore', secretsFile],
  // For an image that is built in the root of a workspace.
  ['Dockerfile.dockerignore', `**/${secretsFile}`],
])

// Files that a folder already has are kept. Where one of them does not keep `.env` out, the line is added, because
// the first commit would contain the secret otherwise.
export function keepSecretsOut(root: string, files: readonly WantedFile[]): readonly WantedFile[] {
  return files.map((file) => {
    const line = ignoreFiles.get(file.path)
    if (file.kind !== 'write' || line === undefined) return file
    const before = readText(join(root, file.path))
    if (before === undefined || ignoresSecrets(before, line)) return file
    const eol = before.includes('\r\n') ? '\r\n' : '\n'
    const end = before === '' || before.endsWith('\n') ? '' : eol
    const text = `${before}${end}${line}${eol}`
    return { kind: 'edit', path: file.path, before, text, detail: `+${line}` }
  })
}

function toPatterns(line: string): readonly string[] {
  return [line, `/${line}`, `${line}*`, `/${line}*`, line.replace('.env', '*.env')]
}

// The last pattern that matches a file decides. A pattern that is not known here costs a redundant line.
function ignoresSecrets(text: string, line: string): boolean {
  const patterns = toPatterns(line)
  const lines = text.split(/\r?\n/).map((one) => one.trimEnd())
  const last = lines.findLast((one) => one.startsWith('!') || patterns.includes(one))
  return last !== undefined && !last.startsWith('!')
}
