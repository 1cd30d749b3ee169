import { type DefaultValue } from './field-type.ts'

// Each returns undefined for a value that is not of its type.

export function parseText(value: string): string | undefined {
  return /^[^\p{Cc}]{1,200}$/u.test(value) && value.trim() === value ? value : undefined
}

export function parseNumber(text: string): number | undefined {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Infinity
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined
}

export function parseDate(text: string): DefaultValue | undefined {
  if (text === 'now') return { now: true }
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) {
    return undefined
  }
  if (parseDay(text.slice(0, 10)) === undefined) return undefined
  const date = new Date(text.includes('T') ? text : `${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

// Only days of the calendar: JavaScript would take February 30 for March 2.
export function parseDay(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isReal ? text : undefined
}
