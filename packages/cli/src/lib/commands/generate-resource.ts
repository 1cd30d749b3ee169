import { jobsPackage } from '../create/dependencies.ts'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { type ConflictPolicy, settleConflicts } from '../files/settle-conflicts.ts'
import { checkData } from '../infer/check-data.ts'
import { type FieldSource, inferFrom, mergeFields } from '../infer/infer-from.ts'
import { loadModel } from '../infer/load-model.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { planResource } from '../resource/plan-resource.ts'
import { type GenerateRequest } from '../resource/resolve-request.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { describeDataCheck } from './describe-data-check.ts'
import { describeResource } from './describe-resource.ts'
import { noteInstallation } from './note-installation.ts'

export interface GenerateResourceOptions extends GenerateRequest, FieldSource {
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Write nothing; exit 1 when something would change. */
  readonly check?: boolean | undefined
  /** Write nothing; count the stored documents that the validation rejects. */
  readonly checkData?: boolean | undefined
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
  const inference = await inferFrom(readProject(root), options, context)
  const { fromModel, name } = options
  const loaded =
    fromModel === undefined
      ? undefined
      : await loadModel(
          readProject(root),
          { fromModel, name },
          { cwd: context.cwd, env: context.terminal.env },
        )
  const request = {
    ...options,
    fields: inference ? mergeFields(inference, options.fields) : options.fields,
    existing: loaded?.description,
  }
  if (options.checkData) {
    const project = readProject(root)
    const plan = await planResource(project, request)
    return describeDataCheck(plan, await checkData(project, plan, context.terminal.env))
  }
  const pretend = options.dryRun === true || options.check === true
  const run = async (): Promise<Outcome> => {
    const plan = await planResource(readProject(root), request)
    const planned = planChanges(root, withBaseTexts(root, plan.files))
    const changes = pretend
      ? planned
      : await settleConflicts(planned, await choosePolicy(options, context))
    if (!pretend) applyChanges(root, changes)
    const description = { ...options, inference, loaded, verbose: context.flags.verbose }
    const outcome = describeResource(plan, changes, description)
    const needed = plan.resource.events ? [jobsPackage] : []
    const missing = noteInstallation(readProject(root), context, needed)
    return { ...outcome, notes: putFirst(missing, outcome.notes) }
  }
  return pretend ? run() : withLock(root, run)
}

// What is installed is needed by the next steps, such as running the tests.
function putFirst(steps: readonly Note[], notes: readonly Note[]): readonly Note[] {
  const at = notes.findIndex(({ kind }) => kind === 'next')
  return at === -1 ? [...notes, ...steps] : notes.toSpliced(at, 0, ...steps)
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
