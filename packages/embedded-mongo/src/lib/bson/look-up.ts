/**
 * Reads a table by a name that came from outside, which may be one that every object inherits.
 * @param table - The table.
 * @param name - The name.
 * @returns The entry; undefined when the table itself has none.
 */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
