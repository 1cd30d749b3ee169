import { Timestamp } from 'bson'
import { type Doc, setField } from '../bson/document.ts'

// An empty timestamp in a field of a whole document that a client sends is set by the server, except in `_id`.
export function fillTimestamps(doc: Doc, next: () => Timestamp): Doc {
  let filled = doc
  for (const name of Object.keys(doc)) {
    const value = doc[name]
    if (!(value instanceof Timestamp) || !value.isZero() || name === '_id') continue
    if (filled === doc) filled = { ...doc }
    setField(filled, name, next())
  }
  return filled
}
