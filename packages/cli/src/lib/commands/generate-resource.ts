import { resolve } from 'node:path'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { type ConflictPolicy, settleConflicts } from '../files/settle-conflicts.ts'
import { CliError } from '../errors/cli-error.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { openFile, openStdin } from '../import/source.ts'
import { type Inference, inferFields } from '../infer/infer-fields.ts'
import { createModelFinder } from '../infer/find-model.ts'
import { readSamples } from '../infer/read-samples.ts'
import { sampleCollection } from '../infer/sample-collection.ts'
import { type Members } from '../infer/observe.ts'
import { findProjectRoot, type Project, readProject } from '../project/open-project.ts'
import { planResource } from '../resource/plan-resource.ts'
import { type GenerateRequest } from '../resource/resolve-request.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { describeResource } from './describe-resource.ts'

export interface GenerateResourceOptions extends GenerateRequest {
  /** File with documents that the fields follow from; `-` for standard input. */
  readonly fromJson?: string | undefined
  /** Collection of the database that the fields follow from. */
  readonly fromCollection?: string | undefined
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Write nothing; exit 1 when something would change. */
  readonly check?: boolean | undefined
  /** Overwrite files that differ. */
  readonly force?: boolean | undefined
  /** Keep files that differ. */
  readonly skipExisting?: boolean | undefined
}

export async function generateResource(
  options: GenerateResourceOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const inference = await inferFrom(options, context, readProject(root))
  const request = inference
    ? { ...options, fields: mergeFields(inference, options.fields) }
    : options
  const pretend = options.dryRun === true || options.check === true
  const run = async (): Promise<Outcome> => {
    const plan = await planResource(readProject(root), request)
    const planned = planChanges(root, withBaseTexts(root, plan.files))
    const changes = pretend
      ? planned
      : await settleConflicts(planned, await choosePolicy(options, context))
    if (!pretend) applyChanges(root, changes)
    const description = { ...options, inference, verbose: context.flags.verbose }
    return describeResource(plan, changes, description)
  }
  return pretend ? run() : withLock(root, run)
}

async function inferFrom(
  options: GenerateResourceOptions,
  context: CommandContext,
  project: Project,
): Promise<Inference | undefined> {
  const members = await readMembers(options, context, project)
  if (!members) return undefined
  const inference = inferFields(members, createModelFinder(project))
  if (inference.fields.length > 0) return inference
  throw new CliError('USAGE', 'the documents have no field that can be generated', {
    details: inference.omitted.map(({ name, reason }) => `  ${name}  ${reason}`),
  })
}

async function readMembers(
  { fromCollection, fromJson }: GenerateResourceOptions,
  { cwd, terminal }: CommandContext,
  project: Project,
): Promise<Members | undefined> {
  if (fromJson !== undefined && fromCollection !== undefined) {
    throw new CliError('USAGE', '--from-json and --from-collection exclude each other')
  }
  if (fromCollection !== undefined) return sampleCollection(project, fromCollection, terminal.env)
  if (fromJson === undefined) return undefined
  return readSamples(
    fromJson === '-'
      ? await openStdin(terminal.stdin, undefined)
      : openFile(resolve(cwd, fromJson), undefined),
  )
}

// The fields that are typed replace those of the same name.
function mergeFields({ fields }: Inference, typed: readonly string[]): readonly string[] {
  const names = typed.map((argument) => argument.split(':', 1)[0] ?? '')
  const isTyped = (argument: string): boolean =>
    names.some((name) => argument.startsWith(`${name}:`) || argument.startsWith(`${name}.`))
  return [...fields.map(({ argument }) => argument).filter((one) => !isTyped(one)), ...typed]
}

async function choosePolicy(
  options: GenerateResourceOptions,
  context: CommandContext,
): Promise<ConflictPolicy> {
  const { force, skipExisting } = options
  if (!context.interactive || force || skipExisting) return { force, skipExisting }
  const { askAboutConflict } = await import('../terminal/prompts.ts')
  return { ask: askAboutConflict() }
}
