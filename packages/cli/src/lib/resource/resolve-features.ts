import { CliError } from '../errors/cli-error.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type ActionName, isChange } from './actions.ts'
import { type Resource } from './resource.ts'

export interface FeatureRequest {
  /** False for `--no-timestamps`. */
  readonly timestamps?: boolean | undefined
  /** Whether deleted documents stay in the database. */
  readonly softDelete?: boolean | undefined
  /** Whether the list can also be requested as CSV and NDJSON. */
  readonly export?: boolean | undefined
  /** Whether the changes of the list can be followed. */
  readonly live?: boolean | undefined
  /** Whether many documents can be changed in one request. */
  readonly bulk?: boolean | undefined
  /** Whether each change of a document emits an event. */
  readonly events?: boolean | undefined
  /** Whether the changes of documents are recorded. */
  readonly audit?: boolean | undefined
}

type Features = Pick<
  Resource,
  'softDelete' | 'exported' | 'live' | 'bulk' | 'events' | 'audit' | 'timestamps'
>

// What is not given is as it was recorded.
export function resolveFeatures(
  request: FeatureRequest,
  options: ResourceRecord['options'],
  chosen: readonly ActionName[],
): Features {
  const isOn = (given: boolean | undefined, option: string): boolean =>
    given ?? options[option] === 'true'
  const features = {
    softDelete: isOn(request.softDelete, 'soft-delete'),
    exported: isOn(request.export, 'export'),
    live: isOn(request.live, 'live'),
    bulk: isOn(request.bulk, 'bulk'),
    events: isOn(request.events, 'events'),
    audit: isOn(request.audit, 'audit'),
    timestamps: request.timestamps !== false && options['timestamps'] !== 'false',
  }
  requireActions(features, chosen)
  return features
}

function requireActions({ bulk, exported, live }: Features, chosen: readonly ActionName[]): void {
  if ((exported || live) && !chosen.includes('list')) {
    throw new CliError('USAGE', `${exported ? '--export' : '--live'} needs the action list`)
  }
  if (bulk && !chosen.some(isChange)) {
    const message = '--bulk needs one of the actions create, replace, update and delete'
    throw new CliError('USAGE', message)
  }
}
