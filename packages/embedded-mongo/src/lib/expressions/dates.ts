import { Long } from 'bson'
import { isNullish, type Named, namedOperator, type Operator, requireNames } from './operator.ts'
import { fromLocal, toLocal } from './time-zone.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, type ErrorName } from '../errors/command-error.ts'
import {
  addMonths,
  dayOfYear,
  isoWeek,
  readDate,
  monthNumber,
  unitLengths,
  unitMonths,
  weekNumber,
  weekStart,
} from './date-math.ts'
import { formatDate, parseDate, parseDateFormat } from './date-text.ts'

const fields: Readonly<Record<string, (date: Date) => unknown>> = {
  $year: (date) => date.getUTCFullYear(),
  $month: (date) => date.getUTCMonth() + 1,
  $dayOfMonth: (date) => date.getUTCDate(),
  $hour: (date) => date.getUTCHours(),
  $minute: (date) => date.getUTCMinutes(),
  $second: (date) => date.getUTCSeconds(),
  $millisecond: (date) => date.getUTCMilliseconds(),
  $dayOfYear: dayOfYear,
  $dayOfWeek: (date) => date.getUTCDay() + 1,
  $isoDayOfWeek: (date) => date.getUTCDay() || 7,
  $isoWeek: (date) => isoWeek(date).week,
  $isoWeekYear: (date) => Long.fromNumber(isoWeek(date).year),
  $week: (date) => Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7),
}

function requireDate(name: string, value: unknown): Date {
  const date = readDate(value)
  if (date !== undefined) return date
  throw new CommandError(
    'Location16006',
    `can't convert from BSON type ${typeName(value)} to Date in ${name}`,
  )
}

// Null makes the whole expression null; undefined is UTC.
function toZone({ timezone }: Named): string | undefined | null {
  if (timezone === undefined || timezone === null) return timezone
  if (typeof timezone === 'string') return timezone
  throw new CommandError(
    'Location40517',
    `timezone must evaluate to a string, found ${typeName(timezone)}`,
  )
}

function fieldOperator(read: (date: Date) => unknown): Operator {
  return (operand, { compile, scope, name }) => {
    const [single]: unknown[] = Array.isArray(operand) ? operand : [operand]
    const isFull = isDocument(single) && 'date' in single
    const spec: Doc = isFull ? requireNames(single, ['date', 'timezone?'], name) : { date: single }
    const date = compile(spec['date'], scope)
    const zone = 'timezone' in spec ? compile(spec['timezone'], scope) : () => undefined
    return (root) => {
      const value = date(root)
      const timezone = toZone({ timezone: zone(root) })
      if (isNullish(value) || timezone === null) return null
      return read(toLocal(requireDate(name, value), timezone))
    }
  }
}

const dateFromString: Operator = (operand, { compile, scope, name }) => {
  const spec = requireNames(
    operand,
    ['dateString', 'format?', 'timezone?', 'onError?', 'onNull?'],
    name,
  )
  const read = (field: string) =>
    Object.hasOwn(spec, field) ? compile(spec[field], scope) : undefined
  const [text, format, zone, onError, onNull] = [
    'dateString',
    'format',
    'timezone',
    'onError',
    'onNull',
  ].map(read)
  return (root) => {
    const value = text?.(root)
    const timezone = toZone({ timezone: zone?.(root) })
    if (isNullish(value)) return onNull?.(root) ?? null
    if (timezone === null) return null
    try {
      return parseText(value, format?.(root), timezone)
    } catch (error) {
      if (onError && error instanceof CommandError && error.codeName === 'ConversionFailure')
        return onError(root)
      throw error
    }
  }
}

function parseText(value: unknown, format: unknown, zone: string | undefined): Date {
  if (typeof value !== 'string') {
    throw new CommandError(
      'ConversionFailure',
      `$dateFromString requires that 'dateString' be a string, found: ${typeName(value)} with value ${showValue(value)}`,
    )
  }
  return typeof format === 'string' ? parseDateFormat(value, format, zone) : parseDate(value, zone)
}

function toParts(date: Date, isIso: boolean): Doc {
  const time = {
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  }
  if (!isIso) {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      ...time,
    }
  }
  const { year, week } = isoWeek(date)
  return { isoWeekYear: year, isoWeek: week, isoDayOfWeek: date.getUTCDay() || 7, ...time }
}

function fromParts(args: Named): Date | null {
  const zone = toZone(args)
  if (zone === null || Object.values(args).some(isNullish)) return null
  const part = (name: string, fallback: number) =>
    requireInteger('$dateFromParts', name, args[name] ?? fallback)
  const local = new Date(0)
  if ('isoWeekYear' in args) {
    // 4 January is always in week 1.
    local.setUTCFullYear(part('isoWeekYear', 1970), 0, 4)
    const monday = local.getUTCDate() - (local.getUTCDay() || 7) + 1
    local.setUTCDate(monday + (part('isoWeek', 1) - 1) * 7 + part('isoDayOfWeek', 1) - 1)
  } else {
    if (!('year' in args))
      throw new CommandError(
        'Location40516',
        "$dateFromParts requires either 'year' or 'isoWeekYear' to be present",
      )
    local.setUTCFullYear(part('year', 1970), part('month', 1) - 1, part('day', 1))
  }
  local.setUTCHours(part('hour', 0), part('minute', 0), part('second', 0), part('millisecond', 0))
  return fromLocal(local, zone)
}

function requireInteger(
  name: string,
  field: string,
  value: unknown,
  error: ErrorName = 'Location40515',
): number {
  const number = isNumeric(value) ? toNumber(value) : NaN
  if (Number.isInteger(number)) return number
  throw new CommandError(
    error,
    `'${field}' must evaluate to an integer, found ${typeName(value)} with value ${String(value)} in ${name}`,
  )
}

function requireUnit(name: string, unit: unknown): string {
  if (typeof unit === 'string' && isUnit(unit)) return unit
  throw new CommandError(
    'FailedToParse',
    `${name} parameter 'unit' value cannot be recognized as a time unit: ${String(unit)}`,
  )
}

function isUnit(unit: string): boolean {
  return lookUp(unitLengths, unit) !== undefined || lookUp(unitMonths, unit) !== undefined
}

function shift(args: Named, sign: 1 | -1): Date | null {
  const name = sign === 1 ? '$dateAdd' : '$dateSubtract'
  const zone = toZone(args)
  const { startDate, unit, amount } = args
  if ([startDate, unit, amount].some(isNullish) || zone === null) return null
  const by = sign * requireInteger(name, 'amount', amount, 'Location5166405')
  const date = requireDate(name, startDate)
  const named = requireUnit(name, unit)
  const months = lookUp(unitMonths, named)
  const length = lookUp(unitLengths, named) ?? 0
  // Days and longer units keep the local time of day; hours and shorter are elapsed time.
  if (months === undefined && length < 86_400_000) return new Date(date.getTime() + by * length)
  const local = toLocal(date, zone)
  return fromLocal(
    months === undefined ? new Date(local.getTime() + by * length) : addMonths(local, by * months),
    zone,
  )
}

function difference(args: Named): Long | null {
  const zone = toZone(args)
  const { startDate, endDate, unit, startOfWeek = 'sunday' } = args
  if ([startDate, endDate, unit, startOfWeek].some(isNullish) || zone === null) return null
  const named = requireUnit('$dateDiff', unit)
  const count = (value: unknown) => {
    const date = requireDate('$dateDiff', value)
    return countUnits({
      date,
      local: toLocal(date, zone),
      unit: named,
      startOfWeek: String(startOfWeek).toLowerCase(),
    })
  }
  return Long.fromNumber(count(endDate) - count(startDate))
}

interface Counted {
  date: Date
  local: Date
  unit: string
  startOfWeek: string
}

function countUnits({ date, local, unit, startOfWeek }: Counted): number {
  const months = lookUp(unitMonths, unit)
  if (months !== undefined) return Math.floor(monthNumber(local) / months)
  if (unit === 'week') return weekNumber(local, startOfWeek) ?? badWeek(startOfWeek)
  const length = lookUp(unitLengths, unit) ?? 1
  return Math.floor((unit === 'day' ? local : date).getTime() / length)
}

function badWeek(startOfWeek: string): never {
  throw new CommandError(
    'FailedToParse',
    `parameter 'startOfWeek' value cannot be recognized as a day of a week: ${startOfWeek}`,
  )
}

function truncate(args: Named): Date | null {
  const zone = toZone(args)
  const { date: value, unit, binSize = 1, startOfWeek = 'sunday' } = args
  if ([value, unit, binSize, startOfWeek].some(isNullish) || zone === null) return null
  const named = requireUnit('$dateTrunc', unit)
  const size = requireInteger('$dateTrunc', 'binSize', binSize, 'Location5439017')
  if (size <= 0)
    throw new CommandError('Location5439018', "$dateTrunc requires 'binSize' to be greater than 0")
  const local = toLocal(requireDate('$dateTrunc', value), zone)
  return fromLocal(
    truncateLocal(local, { unit: named, size, startOfWeek: String(startOfWeek).toLowerCase() }),
    zone,
  )
}

// Bins count from 1 January 2000, as MongoDB's do.
function truncateLocal(
  local: Date,
  bin: { unit: string; size: number; startOfWeek: string },
): Date {
  const months = lookUp(unitMonths, bin.unit)
  if (months !== undefined) {
    const number = floor(monthNumber(local) - 24_000, bin.size * months) + 24_000
    const start = new Date(0)
    start.setUTCFullYear(Math.floor(number / 12), ((number % 12) + 12) % 12, 1)
    return start
  }
  if (bin.unit === 'week') {
    const week = weekNumber(local, bin.startOfWeek) ?? badWeek(bin.startOfWeek)
    return weekStart(floor(week, bin.size), bin.startOfWeek)
  }
  const epoch = Date.UTC(2000, 0, 1)
  return new Date(
    floor(local.getTime() - epoch, (lookUp(unitLengths, bin.unit) ?? 1) * bin.size) + epoch,
  )
}

function floor(count: number, length: number): number {
  return Math.floor(count / length) * length
}

export const dates: Readonly<Record<string, Operator>> = {
  ...Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, fieldOperator(read)])),
  $dateToString: namedOperator(['date', 'format?', 'timezone?', 'onNull?'], (args) => {
    if (isNullish(args['date'])) return args['onNull'] ?? null
    const zone = toZone(args)
    if (zone === null) return null
    const date = requireDate('$dateToString', args['date'])
    const format =
      args['format'] ??
      (zone === undefined || zone === 'UTC' ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L')
    if (typeof format !== 'string')
      throw new CommandError(
        'Location18533',
        `$dateToString requires that 'format' be a string, found: ${typeName(format)} with value ${showValue(format)}`,
      )
    return formatDate(date, format, zone)
  }),
  $dateFromString: dateFromString,
  $dateToParts: namedOperator(['date', 'timezone?', 'iso8601?'], (args) => {
    const zone = toZone(args)
    if (isNullish(args['date']) || zone === null) return null
    return toParts(
      toLocal(requireDate('$dateToParts', args['date']), zone),
      args['iso8601'] === true,
    )
  }),
  $dateFromParts: namedOperator(
    [
      'year?',
      'isoWeekYear?',
      'month?',
      'isoWeek?',
      'day?',
      'isoDayOfWeek?',
      'hour?',
      'minute?',
      'second?',
      'millisecond?',
      'timezone?',
    ],
    (args) => fromParts(args),
  ),
  $dateAdd: namedOperator(['startDate', 'unit', 'amount', 'timezone?'], (args) => shift(args, 1)),
  $dateSubtract: namedOperator(['startDate', 'unit', 'amount', 'timezone?'], (args) =>
    shift(args, -1),
  ),
  $dateDiff: namedOperator(['startDate', 'endDate', 'unit', 'timezone?', 'startOfWeek?'], (args) =>
    difference(args),
  ),
  $dateTrunc: namedOperator(['date', 'unit', 'binSize?', 'timezone?', 'startOfWeek?'], (args) =>
    truncate(args),
  ),
}
