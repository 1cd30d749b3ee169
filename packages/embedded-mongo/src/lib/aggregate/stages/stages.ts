import { type StageCompiler } from '../stage.ts'
import { facet, unionWith } from './combining-stages.ts'
import { documentStages } from './document-stages.ts'
import { graphLookup } from './graph-lookup.ts'
import { bucket, bucketAuto, group, sortByCount } from './group.ts'
import { lookup } from './lookup.ts'
import { unwind } from './unwind.ts'
import { merge, out } from './writing-stages.ts'

/** The stages of aggregation pipelines, by name. */
export const stages: ReadonlyMap<string, StageCompiler> = new Map<string, StageCompiler>([
  ...Object.entries(documentStages),
  ['$group', group],
  ['$sortByCount', sortByCount],
  ['$bucket', bucket],
  ['$bucketAuto', bucketAuto],
  ['$unwind', unwind],
  ['$lookup', lookup],
  ['$graphLookup', graphLookup],
  ['$facet', facet],
  ['$unionWith', unionWith],
  ['$out', out],
  ['$merge', merge],
])
