import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { documentRange, recordIdLength } from '../storage/keys.ts'
import { requireBytes, scan } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { countsOf } from './catalog.ts'
import { type Collection, Row } from './collection.ts'
import { writeRecord } from './records.ts'

// MongoDB rounds the size up.
const sizeStep = 256

// The options of `create` for a capped collection, checked; none for another one.
export function parseCapped({ capped, size, max }: Doc): Doc {
  if (!isSet(capped)) return {}
  if (size === undefined) {
    throw new CommandError('InvalidOptions', 'the size field is required when capped is true')
  }
  const bytes = toLimit('size', size)
  const documents = max === undefined ? 0 : toLimit('max', max)
  return {
    capped: true,
    size: Math.ceil(bytes / sizeStep) * sizeStep,
    ...(documents > 0 ? { max: documents } : {}),
  }
}

// MongoDB takes a number for a boolean here.
function isSet(capped: unknown): boolean {
  return isNumeric(capped) ? toNumber(capped) !== 0 : capped === true
}

function toLimit(name: string, value: unknown): number {
  const limit = isNumeric(value) ? Math.trunc(toNumber(value)) : Number.NaN
  if (limit >= (name === 'size' ? 1 : 0) && limit <= Number.MAX_SAFE_INTEGER) return limit
  throw new CommandError(
    'InvalidOptions',
    `the ${name} of a capped collection is out of range: ${String(value)}`,
  )
}

export function isCapped({ options }: Collection): boolean {
  return options['capped'] === true
}

// Removes the oldest documents until the rest fits.
export function trimCapped(view: View, collection: Collection): void {
  const size = Number(collection.options['size'])
  const max = Number(collection.options['max'] ?? Infinity)
  let { documents, bytes } = countsOf(view, collection.id)
  if (documents <= max && bytes <= size) return
  for (const [key, value] of scan(view, documentRange(collection.id))) {
    const before = new Row(key.slice(-recordIdLength), requireBytes(value))
    writeRecord(view, collection.namespace, { before, isImplicit: true })
    documents -= 1
    bytes -= before.raw.length
    if (documents <= max && bytes <= size) return
  }
}
