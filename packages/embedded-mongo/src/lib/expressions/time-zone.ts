import { CommandError } from '../errors/command-error.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

// Milliseconds ahead of UTC. `zone` is `UTC`, an offset such as `+05:30`, or an Olson name.
export function zoneOffset(time: number, zone: string | undefined): number {
  if (zone === undefined || zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0
  const fixed = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)
    return (fixed[1] === '-' ? -minutes : minutes) * 60_000
  }
  return namedOffset(time, zone)
}

function namedOffset(time: number, zone: string): number {
  const parts = new Map(
    requireFormat(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour') % 24,
    part('minute'),
    part('second'),
  )
  return local - Math.floor(time / 1000) * 1000
}

function requireFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
    return format
  } catch (error) {
    throw new CommandError('Location40485', `unrecognized time zone identifier: "${zone}"`, {
      cause: error,
    })
  }
}

// A date whose UTC fields show the zone's local time.
export function toLocal(date: Date, zone: string | undefined): Date {
  return new Date(date.getTime() + zoneOffset(date.getTime(), zone))
}

export function fromLocal(local: Date, zone: string | undefined): Date {
  const time = local.getTime()
  const guess = time - zoneOffset(time, zone)
  return new Date(time - zoneOffset(guess, zone))
}
