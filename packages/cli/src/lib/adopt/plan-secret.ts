import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keepSecretsOut } from '../create/keep-secrets-out.ts'
import { secretsFile } from '../create/project-files.ts'
import { type WantedFile } from '../files/change.ts'
import { hashText } from '../files/hash-text.ts'
import { readText } from '../files/plan.ts'
import { type AdoptionRecord } from './adoption-record.ts'
import { type Environment } from './read-environment.ts'
import { type Host } from './read-host.ts'

interface SecretPlan {
  readonly files: readonly WantedFile[]
  /** What was added to files with secrets, by path. */
  readonly added: AdoptionRecord['added']
}

// Where something loads `.env`, tokens stay valid over a restart: it gets a secret, and git does not.
export function planSecret(
  { root }: Host,
  { loadsFile, secret }: Environment,
  value: string,
): SecretPlan {
  const before = readText(join(root, secretsFile))
  const isSet = new RegExp(`^\\s*(export\\s+)?${secret}\\s*=`, 'm').test(before ?? '')
  if (!loadsFile || isSet) return { files: [], added: {} }
  const line = `${secret}=${value}`
  const ignored = ['.gitignore', '.dockerignore'].filter(
    (path) => path === '.gitignore' || existsSync(join(root, path)),
  )
  const ignoreFiles = keepSecretsOut(
    root,
    ignored.map((path) => ({ kind: 'write' as const, path, text: `${secretsFile}\n` })),
  ).filter((file) => file.kind === 'edit' || !existsSync(join(root, file.path)))
  return {
    files: [...ignoreFiles, toEnvironmentFile(before, line)],
    added: {
      [secretsFile]: {
        lines: [hashText(line)],
        newline: before !== undefined && /[^\n]$/.test(before),
      },
    },
  }
}

function toEnvironmentFile(before: string | undefined, line: string): WantedFile {
  if (before === undefined) {
    return { kind: 'write', path: secretsFile, text: `${line}\n`, mode: 0o600 }
  }
  const eol = before.includes('\r\n') ? '\r\n' : '\n'
  const end = before === '' || before.endsWith('\n') ? '' : eol
  const text = `${before}${end}${line}${eol}`
  return { kind: 'edit', path: secretsFile, before, text, detail: '+1 line' }
}
