import { type Doc, isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileFilter, type FilterOptions } from '../query/compile-filter.ts'
import { type ValueTest } from '../query/match-path.ts'

/**
 * Compiles `arrayFilters`.
 * @param filters - The filters; each names one identifier.
 * @param options - Collation and time.
 * @returns The test of an array element for each identifier.
 * @throws {CommandError} 2 or 9 for a bad filter.
 */
export function compileArrayFilters(
  filters: readonly Doc[],
  options: FilterOptions,
): Map<string, ValueTest> {
  const tests = new Map<string, ValueTest>()
  for (const filter of filters) {
    const identifier = requireIdentifier(filter)
    if (tests.has(identifier)) {
      throw new CommandError(
        9,
        `Found multiple array filters with the same top-level field name ${identifier}`,
      )
    }
    const predicate = compileFilter(filter, options)
    tests.set(identifier, (item) => predicate({ [identifier]: item }))
  }
  return tests
}

function requireIdentifier(filter: Doc): string {
  const [first, second] = [...new Set(identifiers(filter))]
  if (first === undefined) {
    throw new CommandError(
      9,
      'Cannot use an expression without a top-level field name in arrayFilters',
    )
  }
  if (second !== undefined) {
    throw new CommandError(
      9,
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${first}' and '${second}'`,
    )
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(first)) {
    throw new CommandError(
      2,
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${first}'`,
    )
  }
  return first
}

function identifiers(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.', 1).join('')]
    return Array.isArray(value) ? value.filter(isDocument).flatMap(identifiers) : []
  })
}

/**
 * Refuses paths and filters that do not belong together.
 * @param paths - The paths of the update.
 * @param tests - The compiled filters.
 * @throws {CommandError} 2 for an identifier without a filter, 9 for a filter without use.
 */
export function requireFiltersUsed(
  paths: readonly string[],
  tests: ReadonlyMap<string, ValueTest>,
): void {
  const used = new Set<string>()
  for (const path of paths) {
    for (const [, identifier = ''] of path.matchAll(/\$\[([^\]]+)\]/g)) {
      if (!tests.has(identifier)) {
        throw new CommandError(
          2,
          `No array filter found for identifier '${identifier}' in path '${path}'`,
        )
      }
      used.add(identifier)
    }
  }
  for (const identifier of tests.keys()) {
    if (!used.has(identifier)) {
      throw new CommandError(
        9,
        `The array filter for identifier '${identifier}' was not used in the update`,
      )
    }
  }
}
