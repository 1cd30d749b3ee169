import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { isPending } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { writeFile } from '../files/write-file.ts'
import { checkApp, checkDatabase, checkTemplates } from '../inspect/check-app.ts'
import { type Finding } from '../inspect/findings.ts'
import { checkPackages } from '../inspect/check-packages.ts'
import { checkRegistry } from '../inspect/check-registry.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { RegistryProblem } from '../registry/read-registry.ts'
import { restoreMarkers } from '../registry/restore-markers.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { foldText } from '../terminal/fold-text.ts'
import { type Outcome } from '../terminal/reporter.ts'

export interface ExamineOptions {
  /** Restore missing markers. */
  readonly fix?: boolean | undefined
}

export async function examineProject(
  options: ExamineOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const fixed = options.fix ? await fixMarkers(project) : []
  const { env } = context.terminal
  const findings: readonly Finding[] = [
    ...checkPackages(project),
    ...(await checkRegistry(project)),
    ...(await checkApp(project, env)),
    await checkDatabase(project, env),
    ...checkTemplates(project),
  ]
  const problems = findings.filter(({ status }) => status === 'problem').length
  const warnings = findings.filter(({ status }) => status === 'warning').length
  return {
    exit: problems > 0 ? 1 : 0,
    json: { command: 'doctor', fixed, findings },
    lines: [
      '',
      ...fixed.map((path) => `  fixed      ${path}`),
      ...findings.flatMap((finding) => formatFinding(finding, context.terminal.stdout.columns)),
      '',
      `  ${count(problems, 'problem')}, ${count(warnings, 'warning')}`,
      '',
    ],
    notes: [],
  }
}

async function fixMarkers({ config, root }: Project): Promise<readonly string[]> {
  const path = config.registry
  if (readText(join(root, path)) === undefined) return []
  try {
    const changes = await writeFile(root, path, (text = '') => restoreMarkers(text))
    return changes.filter(isPending).map((change) => change.path)
  } catch (error) {
    if (!(error instanceof RegistryProblem)) throw error
    throw new CliError('REGISTRY_UNUSABLE', `${path} ${error.message}`, { files: [path] })
  }
}

const symbols = { ok: '✓', warning: '!', problem: '✗' } as const

function formatFinding({ fix, message, status }: Finding, columns = Infinity): readonly string[] {
  // Further lines belong to an error message and are not folded.
  const [first = '', ...rest] = message.split('\n')
  const [start = '', ...more] = foldText(first, columns - 4)
  const lines = [`  ${symbols[status]} ${start}`, ...more.map((line) => `    ${line}`), ...rest]
  return fix === undefined ? lines : [...lines, `    → ${fix}`]
}
