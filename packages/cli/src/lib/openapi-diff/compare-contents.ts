import { compareSchemas } from './compare-schemas.ts'
import { type Comparison, type Direction, type Pair } from './difference.ts'
import { isSame, type Json, objectAt } from './json.ts'

/** Where a body is, and who reads it. */
export interface ContentPlace {
  readonly direction: Direction
  readonly at: string
}

/**
 * Compares bodies, media type by media type.
 *
 * @param comparison the documents
 * @param pair the `content` of both
 * @param place where they are
 */
export function compareContents(
  comparison: Comparison,
  pair: Pair<Json>,
  place: ContentPlace,
): void {
  const { at, direction } = place
  const seen: Pair<unknown>[] = []
  for (const type of Object.keys({ ...pair.before, ...pair.after })) {
    if (!(type in pair.after)) comparison.report('media-type-removed', at, `${type} removed`)
    else if (!(type in pair.before)) comparison.report('media-type-added', at, `${type} new`)
    else {
      const before = objectAt(pair.before, type)['schema']
      const after = objectAt(pair.after, type)['schema']
      // Two media types of one schema differ in the same way.
      if (seen.some((other) => isShared(other, { before, after }))) continue
      seen.push({ before, after })
      compareSchemas({ ...comparison, direction }, { before, after }, at)
    }
  }
}

function isShared(one: Pair<unknown>, other: Pair<unknown>): boolean {
  return isSame(one.before, other.before) && isSame(one.after, other.after)
}
