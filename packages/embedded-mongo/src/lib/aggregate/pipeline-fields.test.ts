import { describe, expect, it } from 'vitest'
import { decode, decodeFields, encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { compilePipeline } from './compile-pipeline.ts'
import { pipelineFields } from './pipeline-fields.ts'
import { type PipelineContext } from './stage.ts'

const documents = Array.from({ length: 40 }, (_, i) => ({
  _id: i,
  city: ['Graz', 'Linz', 'Wien'][i % 3],
  price: { net: i * 3, tax: i % 5 },
  tags: i % 4 === 0 ? [] : [`t${i % 2}`, `t${i % 3}`],
  n: i,
  note: 'x'.repeat(i),
}))
const stored = documents.map((doc) => encode(doc))

const context: PipelineContext = {
  collection: () => [],
  write: () => {
    throw new Error('Nothing is written')
  },
}

const pipelines: [stages: Doc[], fields: string[] | undefined][] = [
  [[{ $group: { _id: '$city', n: { $sum: 1 }, tax: { $avg: '$price.tax' } } }], ['city', 'price']],
  [[{ $group: { _id: null, all: { $push: '$$ROOT' } } }], undefined],
  [[{ $group: { _id: '$$CURRENT.city' } }], undefined],
  [[{ $group: { _id: { $getField: 'city' } } }], undefined],
  [[{ $group: { _id: 0, top: { $top: { sortBy: { n: -1 }, output: '$city' } } } }], undefined],
  [
    [{ $group: { _id: { $let: { vars: { c: '$city' }, in: { $concat: ['$$c', '!'] } } } } }],
    ['city'],
  ],
  [
    [{ $unwind: '$tags' }, { $match: { n: { $gt: 3 } } }, { $sortByCount: '$tags' }],
    ['tags', 'n'],
  ],
  [
    [
      { $match: { $or: [{ n: 5 }, { $expr: { $gt: ['$price.net', 40] } }] } },
      { $set: { gross: { $add: ['$price.net', '$price.tax'] } } },
      { $sort: { gross: -1 } },
      { $project: { gross: 1, 'price.tax': 1, short: { $substrCP: ['$note', 0, 2] } } },
    ],
    ['_id', 'n', 'price', 'gross', 'note', 'short'],
  ],
  [[{ $project: { note: 0 } }], undefined],
  [[{ $project: { _id: 0 } }], undefined],
  [[{ $project: { _id: 0, city: true } }], ['_id', 'city']],
  [[{ $project: { price: { net: 1 } } }], ['_id', 'price']],
  [[{ $skip: 3 }, { $limit: 20 }, { $count: 'n' }], []],
  [
    [
      {
        $bucket: { groupBy: '$n', boundaries: [0, 10, 50], output: { t: { $sum: '$price.tax' } } },
      },
    ],
    ['n', 'price'],
  ],
  [[{ $bucketAuto: { groupBy: '$price.net', buckets: 3 } }], ['price']],
  [[{ $match: { $jsonSchema: { required: ['n'] } } }, { $count: 'n' }], undefined],
  [[{ $replaceRoot: { newRoot: '$price' } }], undefined],
  [[{ $sort: { n: -1 } }, { $limit: 3 }], undefined],
  [[], undefined],
]

describe('pipelineFields', () => {
  it.each(pipelines)(
    'names the fields that %j reads, which give the same result',
    (stages, fields) => {
      const names = pipelineFields(stages)
      expect(names && [...names].toSorted()).toEqual(fields?.toSorted())
      const run = (docs: Doc[]) => [...compilePipeline(stages, context).run(docs)]
      expect(run(stored.map((raw) => (names ? decodeFields(raw, names) : decode(raw))))).toEqual(
        run(stored.map((raw) => decode(raw))),
      )
    },
  )
})
