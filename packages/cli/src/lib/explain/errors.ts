import { catalogue } from '../errors/cli-error.ts'
import { type DeclaredError } from '../inspect/inspect-app.ts'
import { type Explanation } from './explanation.ts'
import { readRows, toText } from './read-docs.ts'

// The codes of responses, from the pages with tables of them.
export function listErrors(): readonly Explanation[] {
  return [...readErrors('errors.md', 'codes'), ...readErrors('sign-in.md', 'errors')]
}

function readErrors(page: string, section: string): readonly Explanation[] {
  return readRows(page, section).map((row) => {
    const code = toText(row.get('Code'))
    const status = Number(row.get('Status'))
    const facts = {
      title: toText(row.get('Title')),
      cause: toText(row.get('Cause')),
      remedy: toText(row.get('What to do')),
      example: toText(row.get('Example')),
    }
    const title = `${code}, status ${status}`
    const json = { kind: 'error', code, status }
    return { names: [code], title, json, facts, page: `${page}#${section}` }
  })
}

// The codes that the application declares with `defineErrors`.
export function listOwnErrors(errors: readonly DeclaredError[]): readonly Explanation[] {
  const all = [...new Map(errors.map((error) => [error.code, error])).values()]
  return all.map(({ code, status, title }) => ({
    names: [code],
    title: `${code}, status ${status}, a code of the application`,
    json: { kind: 'own-error', code, status },
    facts: { title },
    page: 'errors.md#codes-of-the-application',
  }))
}

// The codes of this command line, from the table of docs/cli.md.
export function listCommandErrors(): readonly Explanation[] {
  const meanings = new Map(
    readRows('cli.md', 'exit codes').map((row) => [row.get('Code'), toText(row.get('Meaning'))]),
  )
  return Object.entries(catalogue).map(([code, exit]) => ({
    names: [code],
    title: `${code}, exit code ${exit} of the command line`,
    json: { kind: 'command-error', code, exit },
    facts: { meaning: meanings.get(String(exit)) },
    page: 'cli.md#exit-codes',
  }))
}
