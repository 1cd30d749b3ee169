import { relative, sep } from 'node:path'
import { closestName } from '@create-api/core/internal/closest-name'
import { CliError } from '../errors/cli-error.ts'
import { listCommandErrors, listErrors, listOwnErrors } from '../explain/errors.ts'
import { type Explanation, findNamed } from '../explain/explanation.ts'
import { listOptions } from '../explain/options.ts'
import { inspectApp } from '../inspect/inspect-app.ts'
import { docsRoot } from '../package/own-package.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { foldText } from '../terminal/fold-text.ts'
import { type Outcome } from '../terminal/reporter.ts'

// Prints what the documentation says, which needs no project, and which codes the application declares.
export async function explain(
  { name }: { readonly name: string },
  context: CommandContext,
): Promise<Outcome> {
  const documented = [listErrors(), listCommandErrors(), listOptions()]
  const known = documented.flatMap((all) => findNamed(all, name))
  const own = known.length > 0 ? [] : await readOwnErrors(context)
  const found = [...known, ...findNamed(own, name)]
  if (found.length > 0) return describe(name, found, context)
  const names = [...documented, own].map((all) => all.flatMap((one) => one.names))
  const near = names.flatMap((some) => closestName(name, some) ?? [])
  throw new CliError('USAGE', `nothing is called "${name}"`, {
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
        : 'expected an error code, or an option or variable of createApi',
  })
}

// None outside a project.
async function readOwnErrors({ cwd, terminal }: CommandContext): Promise<readonly Explanation[]> {
  try {
    return listOwnErrors((await inspectApp(openProject(cwd), terminal.env)).errors)
  } catch (error) {
    if (error instanceof CliError && error.code === 'NOT_A_PROJECT') return []
    throw error
  }
}

function describe(
  name: string,
  found: readonly Explanation[],
  { cwd, terminal }: CommandContext,
): Outcome {
  const docs = relative(cwd, docsRoot).split(sep).join('/')
  const width = Math.max(40, Math.min(terminal.stdout.columns ?? 100, 100)) - indent
  const lines = found.flatMap(({ facts, page, title }) => [
    '',
    title,
    ...Object.entries({ ...facts, docs: `${docs}/${page}` }).flatMap(([label, text]) =>
      foldText(text, width).map(
        (line, index) => `  ${(index === 0 ? label : '').padEnd(indent - 2)}${line}`,
      ),
    ),
  ])
  const json = found.map(({ facts, json: own, page }) => ({ ...own, ...facts, page }))
  return { json: { command: 'explain', name, docs, found: json }, lines: lines.slice(1), notes: [] }
}

const indent = 14
