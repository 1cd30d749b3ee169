import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { templateNames, toEjected } from '../files/ejected-template.ts'
import { writeFiles } from '../files/write-file.ts'
import { openProject } from '../project/open-project.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'

export async function listTemplates(_options: object, context: CommandContext): Promise<Outcome> {
  const project = openProject(context.cwd)
  const templates = templateNames().map((name) => ({
    name,
    source:
      readText(join(project.root, project.config.templates, name)) === undefined
        ? 'built-in'
        : 'own',
  }))
  return {
    json: { command: 'templates list', templates },
    lines: templates.map(({ name, source }) => `  ${source.padEnd(10)}${name}`),
    notes: [],
  }
}

export interface EjectOptions {
  /** All templates when absent. */
  readonly name?: string | undefined
  readonly force?: boolean | undefined
  readonly dryRun?: boolean | undefined
}

export async function ejectTemplates(
  options: EjectOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { config, root } = openProject(context.cwd)
  const files = chooseTemplates(options.name).map((name): WantedFile => {
    const text = readText(join(templatesRoot, name)) ?? ''
    return { kind: 'write', path: `${config.templates}/${name}`, text: toEjected(text) }
  })
  const { dryRun, force } = options
  const changes = await writeFiles(root, files, { dryRun, force })
  return {
    json: { command: 'templates eject', files: toJsonFiles(changes) },
    lines: ['', ...describeChanges(changes), ''],
    notes: [],
  }
}

function chooseTemplates(name: string | undefined): readonly string[] {
  const known = templateNames()
  if (name === undefined) return known
  const wanted = known.filter(
    (template) =>
      template === name || template === `resource/${name}` || template.endsWith(`/${name}.ts.hbs`),
  )
  if (wanted.length > 0) return wanted
  const short = known.map((template) => template.replace(/^.*\/|\.ts\.hbs$/g, ''))
  throw new CliError('USAGE', `there is no template "${name}"`, { hint: suggestName(name, short) })
}
