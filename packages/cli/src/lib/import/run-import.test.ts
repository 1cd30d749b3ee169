import { describe, expect, it } from 'vitest'
import { type AppWriter } from './app-writer.ts'
import { startProgress } from './progress-file.ts'
import { type SourceRecord } from './record.ts'
import { runImport } from './run-import.ts'

function createWriter(sent: number[][]): AppWriter {
  return {
    facts: { database: '', isEmbedded: true, openapi: {} },
    open: async () => true,
    async write(entries) {
      sent.push(entries.map(([number]) => number))
      return entries.map(([number]) => ({ number }))
    },
    stop: async () => undefined,
  }
}

async function* createRecords(count: number): AsyncGenerator<SourceRecord> {
  for (let line = 1; line <= count; line += 1) {
    yield { line, values: new Map(), fault: line === 2 ? 'is not JSON' : undefined }
  }
}

describe('runImport', () => {
  it('sends batches of limited length, without the records that are done or have a fault', async () => {
    const sent: number[][] = []
    const rejected: string[] = []
    const { progress } = await runImport({
      records: createRecords(9),
      toBody: ({ line }) => 'x'.repeat(line > 6 ? 4 * 1024 * 1024 : 1),
      writer: createWriter(sent),
      batch: 3,
      progress: { ...startProgress({ file: '', path: '', database: '', options: '' }), done: 1 },
      rejected: {
        append(records) {
          rejected.push(...records.map(({ reason }) => reason))
          return 0
        },
        close: () => undefined,
      },
      maxErrors: Infinity,
      onProgress: () => undefined,
    })
    expect(sent).toEqual([[2, 3], [4, 5, 6], [7], [8]])
    expect(rejected).toEqual(['is not JSON'])
    expect(progress).toMatchObject({ done: 9, created: 7, rejected: 1, isFinished: true })
  })
})
