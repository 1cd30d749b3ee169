import { type Doc, isDocument } from '../../bson/document.ts'
import { CommandError, notImplemented } from '../../errors/command-error.ts'
import { createSortOrder, sortBy } from '../../keys/sort.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { requireNames } from '../expressions/operator.ts'
import { pickN, requireN } from '../expressions/pick-n.ts'
import { type Expression, type Scope } from '../expressions/scope.ts'
import { type Accumulator, simpleAccumulators } from '../expressions/simple-accumulators.ts'

/** An accumulator of a stage: what to read of each document, and how to gather it. */
export interface CompiledAccumulator {
  expression: Expression
  create(): Accumulator
}

/**
 * Compiles the accumulator of a field, such as `{ $sum: "$amount" }`.
 * @param field - The output field, for messages.
 * @param spec - The accumulator object.
 * @param scope - The scope of its expression.
 * @returns The accumulator.
 * @throws {CommandError} 40234, 40238, 15952 for a bad one.
 */
export function compileAccumulator(
  field: string,
  spec: unknown,
  scope: Scope,
): CompiledAccumulator {
  if (!isDocument(spec)) {
    throw new CommandError(40234, `The field '${field}' must be an accumulator object`)
  }
  const [name = '', second] = Object.keys(spec)
  if (second !== undefined) {
    throw new CommandError(40238, `The field '${field}' must specify one accumulator`)
  }
  if (unsupported.has(name)) throw notImplemented(name)
  const ordered = orderedAccumulators[name]
  if (ordered !== undefined) return ordered(spec[name], { name, scope })
  const create = simpleAccumulators[name]
  if (create === undefined) throw new CommandError(15952, `unknown group operator '${name}'`)
  const operand = name === '$count' ? 1 : spec[name]
  return { expression: compileExpression(operand, scope), create: () => create(scope) }
}

interface OrderedContext {
  name: string
  scope: Scope
}

const unsupported = new Set(['$accumulator', '$function', '$median', '$percentile'])

type OrderedCompiler = (operand: unknown, context: OrderedContext) => CompiledAccumulator

const orderedAccumulators: Readonly<Record<string, OrderedCompiler>> = {
  $firstN: gatherN,
  $lastN: gatherN,
  $minN: gatherN,
  $maxN: gatherN,
  $top: topOrBottom,
  $bottom: topOrBottom,
  $topN: topOrBottom,
  $bottomN: topOrBottom,
}

function gatherN(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const { input, n } = requireNames(operand, ['input', 'n'], name)
  const count = requireN(name, compileExpression(n, scope)({}))
  return {
    expression: compileExpression(input, scope),
    create: () => {
      const values: unknown[] = []
      return {
        add: (value) => values.push(value ?? null),
        result: () => pickN(name, values, { count, collation: scope.collation }),
      }
    },
  }
}

function topOrBottom(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const isMany = name.endsWith('N')
  const names = isMany ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']
  const { sortBy: pattern, output, n } = requireNames(operand, names, name)
  if (!isDocument(pattern))
    throw new CommandError(10065, `${name} expects 'sortBy' to be an object`)
  const order = createSortOrder(pattern, scope.collation)
  const read = compileExpression(output, scope)
  const count = isMany ? requireN(name, compileExpression(n, scope)({})) : 1
  return {
    expression: (root) => root,
    create: () => {
      const docs: Doc[] = []
      return {
        add: (doc) => {
          if (isDocument(doc)) docs.push(doc)
        },
        result: () => {
          const sorted = sortBy(docs, order, { doc: (doc) => doc })
          const part = name.startsWith('$top') ? sorted.slice(0, count) : sorted.slice(-count)
          const values = part.map((doc) => read(doc) ?? null)
          return isMany ? values : (values[0] ?? null)
        },
      }
    },
  }
}
