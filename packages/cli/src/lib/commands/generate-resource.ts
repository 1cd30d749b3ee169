import { resolve } from 'node:path'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { type ConflictPolicy, settleConflicts } from '../files/settle-conflicts.ts'
import { CliError } from '../errors/cli-error.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { openFile, openStdin } from '../import/source.ts'
import { readFields } from '../infer/fields-of-schema.ts'
import { inferFields } from '../infer/fields-of-documents.ts'
import { type Inference } from '../infer/inference.ts'
import { readSchema } from '../infer/read-openapi.ts'
import { createModelFinder } from '../infer/find-model.ts'
import { readSamples } from '../infer/read-samples.ts'
import { sampleCollection } from '../infer/sample-collection.ts'
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
  /** Schema of an OpenAPI document that the fields follow from: `openapi.json#Post`. */
  readonly fromOpenapi?: string | undefined
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
  const inference = await readInference(options, context, project)
  if (!inference || inference.fields.length > 0) return inference
  throw new CliError('USAGE', `${inference.source}: there is no field that can be generated`, {
    details: inference.omitted.map(({ name, reason }) => `  ${name}  ${reason}`),
  })
}

async function readInference(
  { fromCollection, fromJson, fromOpenapi }: GenerateResourceOptions,
  { cwd, terminal }: CommandContext,
  project: Project,
): Promise<Inference | undefined> {
  const sources = [fromCollection, fromJson, fromOpenapi].filter((source) => source !== undefined)
  if (sources.length > 1) {
    throw new CliError(
      'USAGE',
      '--from-json, --from-collection and --from-openapi exclude one another',
    )
  }
  const findModel = createModelFinder(project)
  if (fromOpenapi !== undefined) return readFields(readSchema(cwd, fromOpenapi), findModel)
  if (fromCollection !== undefined) {
    return inferFields(await sampleCollection(project, fromCollection, terminal.env), findModel)
  }
  if (fromJson === undefined) return undefined
  const isStdin = fromJson === '-'
  const source = isStdin
    ? await openStdin(terminal.stdin, undefined)
    : openFile(resolve(cwd, fromJson), undefined)
  return inferFields(await readSamples(source), findModel)
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
