import { type SpecTest } from './spec-file.ts'

interface Difference {
  file: RegExp
  test?: RegExp
  reason: string
}

// What the Node.js driver does otherwise than the tests expect.
const driver: Difference[] = [
  {
    file: /crud\/unified\/unacknowledged-.*-hint-clientError/,
    reason: 'the driver sends hints of unacknowledged writes',
  },
  { file: /mapReduce/, reason: 'the driver has no mapReduce' },
  {
    file: /default-write-concern/,
    test: /MapReduce/,
    reason: 'the driver has no mapReduce',
  },
  {
    file: /gridfs\/download/,
    test: /final chunk is missing/,
    reason: 'the driver does not notice a missing last chunk',
  },
  {
    file: /gridfs\/upload/,
    test: /contentType/,
    reason: 'the driver has no contentType of files',
  },
  {
    file: /callback-aborts|callback-commits|transactions\/.*(?:commit|retryable-writes)/,
    test: /runs extra op|reset session state|increment txnNumber/,
    reason: 'the driver sends writes of a session with the time of its last operation',
  },
  {
    file: /transactions\/.*transaction-options/,
    test: /transaction options inherited from client/,
    reason: 'the driver changes the read concern of an event after it was reported',
  },
]

// What the embedded database refuses by name.
const embedded: Difference[] = [
  { file: /clustered-indexes|clusteredIndex/, reason: 'refuses clustered indexes' },
  { file: /timeseries/, reason: 'refuses time series' },
  { file: /showExpandedEvents|estimatedDocumentCount/, test: /views/, reason: 'refuses views' },
  {
    file: /db-aggregate|poc-crud|crud-api-version/,
    test: /\$listLocalSessions|\$merge includes read preference|aggregate on database/,
    reason: 'refuses $listLocalSessions',
  },
  {
    file: /command-monitoring.*\/find/,
    test: /with options|returnKey/,
    reason: 'refuses min, max and returnKey of find',
  },
  { file: /runCursorCommand/, test: /empty batch/, reason: 'refuses tailable cursors' },
]

/** @returns Why a test cannot pass. */
export function findDifference(
  path: string,
  test: SpecTest,
  isEmbedded: boolean,
): string | undefined {
  const known = isEmbedded ? [...driver, ...embedded] : driver
  return known.find((item) => item.file.test(path) && (item.test?.test(test.description) ?? true))
    ?.reason
}
