import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'

// The commands of MongoDB's stable API, version 1.
const version1 = new Set(
  [
    'abortTransaction aggregate bulkWrite collMod commitTransaction count create createIndexes',
    'delete drop dropDatabase dropIndexes endSessions explain find findAndModify getMore hello',
    'insert killCursors listCollections listDatabases listIndexes ping update',
  ].flatMap((line) => line.split(' ')),
)

export function checkApiVersion(name: string, body: Doc): void {
  const { apiVersion: version, apiStrict: isStrict } = body
  if (version === undefined) {
    const option = ['apiStrict', 'apiDeprecationErrors'].find((one) => body[one] !== undefined)
    if (option === undefined) return
    throw new CommandError('Location4886600', `Provided ${option} without passing apiVersion`)
  }
  if (version !== '1') throw new CommandError('APIVersionError', `API version must be "1"`)
  if (isStrict === true && !version1.has(name)) {
    throw new CommandError(
      'APIStrictError',
      `Provided apiStrict:true, but the command ${name} is not in API Version 1`,
    )
  }
}
