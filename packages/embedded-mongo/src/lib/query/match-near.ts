import { asDouble } from '../bson/arithmetic.ts'
import { type Doc } from '../bson/document.ts'
import { addMetadata } from '../bson/metadata.ts'
import { type NearQuery } from '../geo/near.ts'
import { HitRecorder, matchPath, type Predicate } from './match-path.ts'

// Keeps the distance of the closest of a document's places beside it, for $meta and the order.
export function matchNear(path: string, near: NearQuery): Predicate {
  let closest: { distance: number; place: unknown } | undefined
  // Matches nothing, so that every place is visited.
  const visitAll = matchPath(
    path,
    (place) => {
      const distance = near.distance(place)
      if (distance !== undefined && distance < (closest?.distance ?? Infinity)) {
        closest = { distance, place }
      }
      return false
    },
    false,
    new HitRecorder(),
  )
  return (doc: Doc) => {
    closest = undefined
    visitAll(doc)
    return keepClosest(doc, closest)
  }
}

function keepClosest(doc: Doc, closest: { distance: number; place: unknown } | undefined): boolean {
  if (!closest) return false
  const { distance, place } = closest
  addMetadata(doc, { geoNearDistance: asDouble(distance), geoNearPoint: place })
  return true
}
