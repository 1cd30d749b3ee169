import { type RequestHandler } from 'express'
import { closestName } from '../options/closest-name.ts'
import { isRecord } from '../json/plain.ts'
import { type StageName, stageNames } from '../stage/stage-names.ts'
import { type Stage, toStage } from '../stage/stage.ts'

/** An Express middleware or a stage, or several in the order in which they run. */
export type OwnStage = RequestHandler | Stage | readonly (RequestHandler | Stage)[]

/** Your stages at named places of the pipeline. */
export interface OwnStages {
  /**
   * Stages that run directly before a stage: `{ authentication: findTenant }`.
   * @default {}
   */
  readonly before?: { readonly [Name in StageName]?: OwnStage } | undefined
  /**
   * Stages that run directly after a stage; those after `routes` run for requests that no route matched.
   * @default {}
   */
  readonly after?: { readonly [Name in StageName]?: OwnStage } | undefined
}

export interface PlacedStages {
  readonly before: ReadonlyMap<string, readonly Stage[]>
  readonly after: ReadonlyMap<string, readonly Stage[]>
}

export function parseOwnStages(value: unknown): PlacedStages {
  if (!isRecord(value)) throw new TypeError('must be { before, after }')
  const place = Object.keys(value).find((key) => key !== 'before' && key !== 'after')
  if (place !== undefined) throw new TypeError(`must be { before, after }, not '${place}'`)
  return { before: parsePlaces(value['before']), after: parsePlaces(value['after']) }
}

function parsePlaces(value: unknown = {}): Map<string, Stage[]> {
  if (!isRecord(value)) throw new TypeError('must name stages: { authentication: [middleware] }')
  return new Map(Object.entries(value).map(([name, own]) => [requireName(name), toStages(own)]))
}

function requireName(name: string): string {
  if (stageNames.some((known) => known === name)) return name
  const closest = closestName(name, stageNames)
  const fix = closest === undefined ? `use ${stageNames.join(', ')}` : `did you mean ${closest}?`
  throw new TypeError(`has no place '${name}': ${fix}`)
}

function toStages(own: unknown): Stage[] {
  const list: readonly unknown[] = Array.isArray(own) ? own : [own]
  return list.map((stage) => {
    if (!isHandler(stage)) throw new TypeError('must be Express middleware or stages')
    // Express knows an error handler by its four parameters.
    if (stage.length > 3) throw new TypeError('cannot be error handlers: use errors.format')
    return toStage(stage)
  })
}

function isHandler(value: unknown): value is RequestHandler | Stage {
  return typeof value === 'function'
}
