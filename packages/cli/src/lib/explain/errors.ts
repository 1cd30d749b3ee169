import { catalogue } from '../errors/cli-error.ts'
import { type DeclaredError } from '../inspect/inspect-app.ts'
import { type Explanation, type Subject } from './explanation.ts'
import { readTables, toText } from './read-docs.ts'

// The pages with tables of codes of responses.
const pages = [
  ['errors.md', 'Codes'],
  ['sign-in.md', 'Errors'],
] as const

export function createErrorSubject(): Subject {
  const errors = pages.flatMap(([page, section]) => readErrors(page, section))
  return {
    names: errors.map(({ code }) => code),
    find: (name) => errors.filter(({ code }) => code === name.toLowerCase()).map(toExplanation),
  }
}

function readErrors(page: string, section: string): readonly DocumentedError[] {
  const table = readTables(page).find((one) => one.section === section)
  return (table?.rows ?? []).map((row) => ({
    code: toText(row.get('Code')),
    status: Number(row.get('Status')),
    title: toText(row.get('Title')),
    cause: toText(row.get('Cause')),
    remedy: toText(row.get('What to do')),
    example: toText(row.get('Example')),
    page: `${page}#${section.toLowerCase()}`,
  }))
}

// The codes that the application declares with `defineErrors`.
export function createOwnErrorSubject(errors: readonly DeclaredError[]): Subject {
  const all = [...new Map(errors.map((error) => [error.code, error])).values()]
  return {
    names: all.map(({ code }) => code),
    find: (name) => all.filter(({ code }) => code === name.toLowerCase()).map(toOwnExplanation),
  }
}

// The codes of this command line, from the table of docs/cli.md.
export function createCommandErrorSubject(): Subject {
  const rows = readTables('cli.md').find(({ section }) => section === 'Exit codes')?.rows ?? []
  const meanings = new Map(rows.map((row) => [Number(row.get('Code')), toText(row.get('Meaning'))]))
  const errors = Object.entries(catalogue).map(([code, exit]) => ({
    code,
    exit,
    meaning: meanings.get(exit) ?? '',
  }))
  return {
    names: errors.map(({ code }) => code),
    find: (name) =>
      errors
        .filter(({ code }) => code === name.toUpperCase())
        .map(({ code, exit, meaning }) => ({
          json: { kind: 'command-error', code, exit, meaning, page: 'cli.md#exit-codes' },
          title: `${code}, exit code ${exit} of the command line`,
          rows: [['meaning', meaning]],
        })),
  }
}

interface DocumentedError extends DeclaredError {
  readonly cause: string
  readonly remedy: string
  readonly example: string
  readonly page: string
}

function toExplanation(error: DocumentedError): Explanation {
  return {
    json: { kind: 'error', ...error },
    title: `${error.code}, status ${error.status}`,
    rows: [
      ['title', error.title],
      ['cause', error.cause],
      ['remedy', error.remedy],
      ['example', error.example],
    ],
  }
}

function toOwnExplanation({ code, status, title }: DeclaredError): Explanation {
  return {
    json: { kind: 'own-error', code, status, title, page: 'errors.md#codes-of-the-application' },
    title: `${code}, status ${status}, a code of the application`,
    rows: [['title', title]],
  }
}
