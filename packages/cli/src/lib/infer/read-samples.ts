import { CliError } from '../errors/cli-error.ts'
import { isJson } from '../client/document.ts'
import { readJsonArray, readNdjson } from '../import/read-json.ts'
import { type RecordReader } from '../import/record.ts'
import { type Source } from '../import/source.ts'
import { isDeeperThan } from './is-deeper-than.ts'
import { createMembers, type Members, observeObject } from './observe.ts'

// More than a document can have in MongoDB.
const maxDepth = 100

// Reads all documents of an array, of lines such as those of `mongoexport`, or a single one.
export async function readSamples(source: Source): Promise<Members> {
  const members = createMembers()
  for await (const { fault, line, values } of openSamples(source).read()) {
    const document = Object.fromEntries(values)
    const reason =
      fault ?? (isDeeperThan(maxDepth, document) ? `has more than ${maxDepth} levels` : undefined)
    if (reason !== undefined) {
      throw new CliError('USAGE', `${source.name}: the document at line ${line} ${reason}`, {
        hint: 'pass a JSON array, one document on each line, or a single document',
      })
    }
    observeObject(members, document)
  }
  if (members.objects === 0) throw new CliError('USAGE', `${source.name} has no documents`)
  return members
}

function openSamples(source: Source): RecordReader {
  const start = source.start.trimStart()
  if (start.startsWith('[')) return readJsonArray(source)
  const isLine = isJsonText(start.split('\n', 1)[0] ?? '')
  return isLine || !start.startsWith('{') ? readNdjson(source) : readOne(source)
}

function isJsonText(text: string): boolean {
  try {
    return isJson(JSON.parse(text))
  } catch {
    return false
  }
}

// More than one document on several lines each is not JSON.
const maxLength = 16 * 1024 * 1024

function readOne(source: Source): RecordReader {
  return {
    isText: false,
    columns: undefined,
    notes: [],
    async *read() {
      let text = ''
      for await (const piece of source.read()) {
        text += piece
        if (text.length > maxLength) break
      }
      if (!isJsonText(text)) yield { line: 1, values: new Map(), fault: 'is not a JSON object' }
      else yield { line: 1, values: new Map(Object.entries(JSON.parse(text))) }
    },
  }
}
