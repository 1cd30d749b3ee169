import { isJson } from '../client/document.ts'
import {
  lineColumn,
  maxRecordLength,
  reasonColumn,
  type RecordReader,
  type SourceRecord,
} from './record.ts'
import { type Source } from './source.ts'
import { type Piece, splitArray, tooLong } from './split-array.ts'

// Reads one JSON object on each line.
export function readNdjson(source: Source): RecordReader {
  return toReader(source, splitLines)
}

// Reads the objects of one JSON array.
export function readJsonArray(source: Source): RecordReader {
  return toReader(source, splitArray)
}

type Split = (name: string, text: AsyncIterable<string>) => AsyncIterable<Piece>

function toReader(source: Source, split: Split): RecordReader {
  return {
    isText: false,
    columns: undefined,
    notes: [],
    async *read() {
      for await (const { line, text } of split(source.name, source.read()))
        yield toRecord(line, text)
    },
  }
}

async function* splitLines(name: string, text: AsyncIterable<string>): AsyncGenerator<Piece> {
  let rest = ''
  let line = 0
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxRecordLength) throw tooLong(name, line + 1)
    for (const one of lines) {
      line += 1
      if (one.trim() !== '') yield { line, text: one }
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest }
}

function toRecord(line: number, text: string): SourceRecord {
  const none = new Map<string, unknown>()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { line, values: none, fault: `is not JSON: ${message.slice(0, 200)}` }
  }
  if (!isJson(value)) return { line, values: none, fault: 'is not a JSON object' }
  const values = new Map(Object.entries(value))
  values.delete(lineColumn)
  values.delete(reasonColumn)
  return { line, values }
}
