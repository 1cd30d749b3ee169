import { CliError } from '../errors/cli-error.ts'
import { readModel } from '../models/read-model.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type ModelDescription } from '../project/model-description.ts'
import { isOwned } from './access.ts'
import { type ActionName, readActions } from './actions.ts'
import { type ExistingModel, type Resource } from './resource.ts'

// What a resource takes from a model of the application instead of from the command line.

interface ModelRequest {
  readonly existing?: ModelDescription | undefined
  readonly fields: readonly string[]
  readonly key?: string | undefined
  readonly timestamps?: boolean | undefined
  readonly softDelete?: boolean | undefined
  readonly events?: boolean | undefined
  readonly audit?: boolean | undefined
  readonly collation?: string | undefined
}

type Scoped = Pick<Resource, 'access' | 'parent' | 'tenant'>

// The fields that the server sets in every document.
export function toScopeNames({ access, parent, tenant }: Scoped): readonly string[] {
  return [
    ...(tenant === undefined ? [] : ['organization']),
    ...(parent === undefined ? [] : [parent.field]),
    ...(isOwned(access) ? ['owner'] : []),
  ]
}

export function resolveExisting(
  request: ModelRequest,
  recorded: ResourceRecord | undefined,
  scope: readonly string[],
): ExistingModel | undefined {
  const description = request.existing ?? recorded?.existing
  if (description === undefined) return undefined
  const { file, model, paths } = description
  requireNoOthers(request, file)
  const missing = scope.find((name) => !paths.some((path) => path.name === name))
  if (missing !== undefined) {
    throw new CliError('USAGE', `the model ${model} has no field "${missing}"`, {
      hint: `add it to ${file}: ${missing}: { type: Schema.Types.ObjectId, required: true, immutable: true }`,
    })
  }
  return { ...readModel(description, scope), description }
}

// The model says what these options say.
function requireNoOthers(request: ModelRequest, file: string): void {
  const { audit, collation, events, fields, key, softDelete, timestamps } = request
  const given = [
    ...(fields.length > 0 ? [`the field ${fields[0]}`] : []),
    ...(key === undefined ? [] : ['--key']),
    ...(softDelete ? ['--soft-delete'] : []),
    ...(events ? ['--events'] : []),
    ...(audit ? ['--audit'] : []),
    ...(timestamps === false ? ['--no-timestamps'] : []),
    ...(collation === undefined ? [] : ['--collation']),
  ]
  if (given.length === 0) return
  throw new CliError('USAGE', `${given.join(', ')}: the model in ${file} decides that`, {
    hint: 'change the model, or leave it out; the generated files are yours to edit',
  })
}

// A plugin marks documents as deleted, and DELETE would remove them.
export function toDefaultActions(
  { existing }: ModelRequest,
  recorded: ResourceRecord | undefined,
): readonly ActionName[] {
  const chosen = readActions(recorded?.options['actions'])
  if (recorded !== undefined || existing?.deletedMark === undefined) return chosen
  return chosen.filter((action) => action !== 'delete')
}

export function toModelFeatures(
  { description: { plugins, timestamps } }: ExistingModel,
  chosen: readonly ActionName[],
): Pick<Resource, 'softDelete' | 'timestamps'> {
  return {
    softDelete: plugins.includes('softDelete') && chosen.includes('delete'),
    timestamps: timestamps.createdAt === 'createdAt' && timestamps.updatedAt === 'updatedAt',
  }
}

// Whether a test can create valid documents.
export function isTestable({ existing }: Pick<Resource, 'existing'>): boolean {
  return existing?.unsampled === undefined
}
