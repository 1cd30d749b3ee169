import { relative, sep } from 'node:path'
import { closestName } from '@create-api/core/internal/closest-name'
import { CliError } from '../errors/cli-error.ts'
import {
  createCommandErrorSubject,
  createErrorSubject,
  createOwnErrorSubject,
} from '../explain/errors.ts'
import { type Explanation, type Subject } from '../explain/explanation.ts'
import { createOptionSubject } from '../explain/options.ts'
import { createRouteSubject } from '../explain/routes.ts'
import { findRouteLines } from '../inspect/find-route-lines.ts'
import { inspectApp } from '../inspect/inspect-app.ts'
import { docsRoot } from '../package/own-package.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { foldText } from '../terminal/fold-text.ts'
import { type Outcome } from '../terminal/reporter.ts'

export interface ExplainOptions {
  /** A code, an option, a variable, a route as method and path, or an operation id. */
  readonly words: readonly string[]
}

// Prints what the documentation says, and what the application declares. The documentation needs no project.
export async function explain(
  { words }: ExplainOptions,
  context: CommandContext,
): Promise<Outcome> {
  const name = words.join(' ').trim()
  const documented = [createErrorSubject(), createCommandErrorSubject(), createOptionSubject()]
  const known = name.includes('/') ? [] : documented.flatMap(({ find }) => find(name))
  if (known.length > 0) return toOutcome(name, known, context)
  const project = findProject(context.cwd)
  const subjects = [...documented, ...(project ? await readSubjects(project, context) : [])]
  const found = subjects.flatMap(({ find }) => find(name))
  if (found.length > 0) return toOutcome(name, found, context)
  throw new CliError('USAGE', `nothing is called "${name}"`, {
    hint: toHint(name, subjects, project !== undefined),
  })
}

function findProject(cwd: string): Project | undefined {
  try {
    return openProject(cwd)
  } catch (error) {
    if (error instanceof CliError && error.code === 'NOT_A_PROJECT') return undefined
    throw error
  }
}

async function readSubjects(
  project: Project,
  { terminal }: CommandContext,
): Promise<readonly Subject[]> {
  const facts = await inspectApp(project, terminal.env)
  const places = await findRouteLines(project)
  return [createOwnErrorSubject(facts.errors), createRouteSubject(facts, places)]
}

function toHint(name: string, subjects: readonly Subject[], inProject: boolean): string {
  const near = subjects.flatMap(({ names }) => closestName(name, names) ?? [])
  if (near.length > 0) return `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
  const kinds = 'an error code, an option or variable of createApi, or a route'
  return `expected ${kinds}${inProject ? '' : '; routes are known inside a project'}`
}

function toOutcome(
  name: string,
  found: readonly Explanation[],
  { cwd, terminal }: CommandContext,
): Outcome {
  const docs = relative(cwd, docsRoot).split(sep).join('/')
  const width = Math.max(40, Math.min(terminal.stdout.columns ?? 100, 100))
  return {
    json: { command: 'explain', name, docs, found: found.map(({ json }) => json) },
    lines: found.flatMap((one, index) => [
      ...(index > 0 ? [''] : []),
      ...formatLines(one, docs, width),
    ]),
    notes: [],
  }
}

const indent = 14

function formatLines({ json, rows, title }: Explanation, docs: string, width: number) {
  const page: readonly [string, string] = ['docs', `${docs}/${String(json['page'])}`]
  return [
    title,
    ...[...rows, page].flatMap(([label, text = '']) =>
      foldText(text, width - indent).map(
        (line, index) => `  ${(index === 0 ? label : '').padEnd(indent - 2)}${line}`,
      ),
    ),
  ]
}
