import { type Operator } from './operator.ts'

/** The operators of aggregation expressions, by name. */
export const operators: ReadonlyMap<string, Operator> = new Map()
