import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { toDocument } from './requirements.ts'

// The members that `hello` reports.
const memberCount = 2
const maxMembers = 50

export interface WriteConcern {
  // The reply waits until the write is on disk.
  isSynced: boolean
  // In the reply of a write that was applied, but not as widely as the client asked.
  writeConcernError: Doc | undefined
}

export function parseWriteConcern(value: unknown): WriteConcern {
  const concern = toDocument(value, 'writeConcern')
  return { isSynced: concern['j'] === true, writeConcernError: toError(concern) }
}

function toError({ w, wtimeout = 0 }: Doc): Doc | undefined {
  if (w === undefined || w === 'majority') return undefined
  const errInfo = { writeConcern: { w, wtimeout, provenance: 'clientSupplied' } }
  if (typeof w === 'string') {
    const errmsg = `No write concern mode named '${w}' found in replica set configuration`
    return { code: 79, codeName: 'UnknownReplWriteConcern', errmsg, errInfo }
  }
  const members = isNumeric(w) ? toNumber(w) : -1
  if (members < 0 || members > maxMembers) {
    throw new CommandError(
      'FailedToParse',
      `w has to be a non-negative number and not greater than ${maxMembers}`,
    )
  }
  if (members <= memberCount) return undefined
  const errmsg = 'Not enough data-bearing nodes'
  return { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg, errInfo }
}
