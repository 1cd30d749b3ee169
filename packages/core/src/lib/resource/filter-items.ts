import { z, type ZodType } from 'zod'
import { type Kind } from './filter-kinds.ts'
import { listLimits } from './list-limits.ts'

// The parameter of the operator `in`: values separated by commas.
export function toItemsParameter({ item, value }: Kind): ZodType {
  const others = listLimits.values - 1
  return z
    .string()
    .max(listLimits.filter)
    .regex(new RegExp(`^${item}(?:,${item}){0,${others}}$`), {
      error: ({ input }) => describeFault(String(input), new RegExp(`^(?:${item})$`)),
    })
    .transform((list): unknown[] => split(list).map(unescape))
    .pipe(z.array(value))
}

// A comma separates two values, unless it follows a backslash.
function split(list: string): string[] {
  const items = list.matchAll(/(?:^|,)((?:[^,\\]|\\.|\\$)*)/gs)
  return Array.from(items, ([, item = '']) => item)
}

function unescape(item: string): string {
  return item.replace(/\\(.)/gs, '$1')
}

function describeFault(list: string, item: RegExp): string {
  const items = split(list)
  if (items.length > listLimits.values) {
    return `has ${items.length} values; at most ${listLimits.values} are possible`
  }
  const index = items.findIndex((one) => !item.test(one))
  const found = items[index] ?? ''
  const which = `value ${index + 1}`
  if (found === '') return `${which} is empty: write values separated by single commas`
  if (/^ | $/.test(found)) {
    return String.raw`${which} begins or ends with a space: remove it, or write a space that belongs to a text as "\ "`
  }
  if (found.includes('\\')) {
    return String.raw`has a backslash alone: write a comma in a value as \, and a backslash as \\`
  }
  return String.raw`${which} is not a value of the field; a comma in a value is written \,`
}
