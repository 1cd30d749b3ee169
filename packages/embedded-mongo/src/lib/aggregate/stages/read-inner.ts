import { type Doc } from '../../bson/document.ts'
import { type InnerPipeline, type PipelineContext } from '../stage.ts'

/**
 * Runs an inner pipeline over a collection, letting a planner serve its first stages.
 * @param collection - The collection.
 * @param inner - The pipeline.
 * @param surroundings - Where to read.
 * @returns The results.
 */
export function readInner(
  collection: string,
  inner: InnerPipeline,
  surroundings: PipelineContext,
): Iterable<Doc> {
  const { filter } = inner.leading
  // An expression may use variables of this pipeline, which a planner does not know.
  const isOpaque = filter !== undefined && JSON.stringify(filter).includes('"$expr"')
  return isOpaque
    ? inner.runAll(surroundings.collection(collection))
    : inner.run(surroundings.collection(collection, inner.leading))
}
