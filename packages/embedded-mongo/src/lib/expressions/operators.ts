import { foldOperator, simpleAccumulators } from './simple-accumulators.ts'
import { strings } from './strings.ts'
import { types } from './types.ts'
import { arithmetic } from './arithmetic.ts'
import { arrays, sets } from './arrays.ts'
import { dates } from './dates.ts'
import { iteration } from './iteration.ts'
import { logic } from './logic.ts'
import { metadata } from './metadata.ts'
import { objects } from './objects.ts'
import { type Operator } from './operator.ts'

const folds = ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'].flatMap((name) => {
  const create = simpleAccumulators[name]
  return create === undefined ? [] : [[name, foldOperator(create)] as const]
})

export const operators: ReadonlyMap<string, Operator> = new Map([
  ...Object.entries({
    ...logic,
    ...arithmetic,
    ...arrays,
    ...iteration,
    ...sets,
    ...objects,
    ...strings,
    ...types,
    ...dates,
    ...metadata,
  }),
  ...folds,
])
