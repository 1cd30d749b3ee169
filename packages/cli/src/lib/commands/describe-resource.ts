import { type Change, isPending } from '../files/change.ts'
import { type ResourcePlan } from '../resource/plan-resource.ts'
import { toAccessName } from '../resource/access.ts'
import { type Resource, type ResourceRoute, toRoutes } from '../resource/resource.ts'
import { count } from '../terminal/count.ts'
import { describeChanges, formatDiffs, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { type Inference } from '../infer/inference.ts'
import { describeInference } from './describe-inference.ts'
import { noteTests } from './note-tests.ts'
import { describeModel, noteModel, toModelJson } from './describe-model.ts'
import { type LoadedModel } from '../infer/load-model.ts'
import { apiCommand } from '../terminal/api-command.ts'

const generate = `${apiCommand} generate resource`

export interface DescribeOptions {
  /** What the fields follow from. */
  readonly inference?: Inference | undefined
  /** The model that the resource uses. */
  readonly loaded?: LoadedModel | undefined
  readonly dryRun?: boolean | undefined
  readonly check?: boolean | undefined
  readonly verbose?: boolean | undefined
}

export function describeResource(
  plan: ResourcePlan,
  changes: readonly Change[],
  options: DescribeOptions,
): Outcome {
  const pretend = options.dryRun === true || options.check === true
  const pending = changes.some((change) => isPending(change) || change.action === 'conflict')
  const routes = plan.parts.includes('routes') ? toRoutes(plan.resource) : []
  return {
    exit: options.check && pending ? 1 : 0,
    json: {
      command: 'generate resource',
      dryRun: pretend,
      changed: pending,
      names: toJsonNames(plan.resource),
      files: toJsonFiles(changes),
      routes,
      ...(options.inference && { inference: options.inference }),
      ...(options.loaded && toModelJson(plan.resource)),
    },
    lines: [
      ...(pretend ? ['Dry run: nothing was written.'] : []),
      ...describeSource(plan.resource, options),
      '',
      ...describeChanges(changes),
      ...(pretend ? formatDiffs(changes, options.verbose === true) : []),
      '',
      ...(pending ? summarise(plan, routes) : ['  Nothing to do.']),
      '',
    ],
    notes: [...noteModel(plan, options.loaded), ...(pending ? toNotes(plan) : [])],
  }
}

interface JsonNames {
  readonly model: string
  readonly plural: string
  readonly path: string
  readonly collection: string
}

export function toJsonNames(resource: Resource): JsonNames {
  const { model, plural } = resource.names
  return { model, plural, path: resource.path, collection: toCollection(resource) }
}

function toCollection({ existing, names }: Resource): string {
  return existing?.description.collection ?? names.collection
}

function describeSource(
  resource: Resource,
  { inference, loaded }: DescribeOptions,
): readonly string[] {
  if (inference) return describeInference(inference)
  return loaded ? describeModel(resource) : []
}

function summarise(plan: ResourcePlan, routes: readonly ResourceRoute[]): readonly string[] {
  const { access, fields, names, path, tenant } = plan.resource
  const collection = toCollection(plan.resource)
  const who = toAccessName(access.text, tenant !== undefined)
  const paths = [...new Set(routes.map((route) => route.path))]
  const groups = paths.map((shared) => routes.filter((route) => route.path === shared))
  const width = Math.max(...groups.map((group) => formatMethods(group).length))
  return [
    routes.length === 0
      ? `  ${names.model}  (collection "${collection}", ${count(fields.length, 'field')})`
      : `  ${names.model} → ${path}  (collection "${collection}", ${count(fields.length, 'field')}, access ${who})`,
    ...groups.map((group) => `  ${formatMethods(group).padEnd(width)}  ${group[0]?.path ?? ''}`),
  ]
}

function formatMethods(routes: readonly ResourceRoute[]): string {
  return routes.map(({ method }) => method).join(' ')
}

export function noteMissingModels(resource: Resource): readonly Note[] {
  const { existing, missingModels, names } = resource
  if (existing) {
    return missingModels.map((model) => ({
      kind: 'note',
      code: 'MODEL_MISSING',
      message: `${existing.description.file} does not load the model "${model}", so the generated test does not check references to it`,
    }))
  }
  return missingModels.map((model) => ({
    kind: 'note',
    code: 'MODEL_MISSING',
    message: `model "${model}" does not exist yet; generate it, then this resource again:`,
    commands: [`${generate} ${model}`, `${generate} ${names.typed} --force`],
  }))
}

function toNotes({
  lackedRules,
  lacksJobs,
  lacksTenants,
  parts,
  project,
  resource,
}: ResourcePlan): readonly Note[] {
  const { access, names } = resource
  const { extension, srcDir } = project.config
  const writes = resource.actions.some(
    (action) => action !== 'list' && action !== 'get' && access.of[action].includes('public'),
  )
  const notes: Note[] = []
  if (writes && parts.includes('routes')) {
    notes.push({
      kind: 'note',
      code: 'PUBLIC_WRITES',
      message: `anyone may create, change and delete ${names.plural}; to require a token:`,
      commands: [`${generate} ${names.typed} --access user --force`],
    })
  }
  for (const rule of lackedRules) {
    const message = `the routes import the rule "${rule}": export it from ${srcDir}/access${extension}`
    notes.push({ kind: 'note', code: 'RULE_NEEDED', message })
  }
  if (lacksTenants) {
    notes.push({
      kind: 'note',
      code: 'TENANTS_OFF',
      message: `organizations are off; import createTenants in ${srcDir}/app${extension}, and add this option to createApi there:`,
      commands: [
        "import { createTenants } from '@create-api/core/tenants'",
        'tenants: createTenants(),',
      ],
    })
  }
  if (lacksJobs) {
    notes.push({
      kind: 'note',
      code: 'JOBS_OFF',
      message: `the events of ${names.plural} are stored until createApi has jobs, with their handlers; import createJobs in ${srcDir}/app${extension}, and add this option to createApi there:`,
      commands: [
        "import { createJobs } from '@create-api/jobs'",
        'jobs: createJobs({ handlers: [] }),',
      ],
    })
  }
  notes.push(...noteMissingModels(resource))
  if (parts.includes('test')) notes.push(...noteTests(project, names.plural))
  return notes
}
