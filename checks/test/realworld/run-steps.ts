import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { shapes, type Step } from './steps.ts'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  /** Undefined for an empty response. */
  readonly body: unknown
}

/** Sends requests to a service, one after the other, and compares the responses. Returns their number. */
export async function runSteps(
  url: string,
  steps: readonly Step[],
  record?: (exchange: Exchange) => void,
): Promise<number> {
  const variables = new Map<string, unknown>([
    ['run', randomBytes(4).toString('hex')],
    ['invalid', 'no.to.ken'],
  ])
  for (const step of steps) {
    const exchange = await send(url, step, variables)
    record?.(exchange)
    verify(step, exchange, variables)
    for (const [name, path] of Object.entries(step.save ?? {})) {
      variables.set(name, at(exchange.body, path))
    }
  }
  return steps.length
}

type Variables = ReadonlyMap<string, unknown>

async function send(
  url: string,
  { send: line, as, body }: Step,
  variables: Variables,
): Promise<Exchange> {
  const [method = '', target = ''] = String(fill(line, variables)).split(' ')
  const response = await fetch(`${url}/api${target}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(as !== undefined && { Authorization: `Token ${String(variables.get(as))}` }),
    },
    ...(body && { body: JSON.stringify(fill(body, variables)) }),
  })
  const text = await response.text()
  return {
    method,
    path: `/api${target.split('?')[0]}`,
    status: response.status,
    type: response.headers.get('Content-Type')?.split(';')[0] ?? '',
    body: text === '' ? undefined : JSON.parse(text),
  }
}

function verify(step: Step, { status, body }: Exchange, variables: Variables): void {
  const { title, shape, matches = {}, differs = {}, contains = {} } = step
  expect({ title, status, body }).toEqual({ title, status: step.status, body })
  const faults = shape ? shapes[shape].safeParse(body).error?.issues : body
  expect({ title, faults }).toEqual({ title, faults: undefined })
  expect({ title, ...Object(body) }).toMatchObject({ title, ...Object(fill(matches, variables)) })
  for (const [path, value] of Object.entries(differs)) {
    expect([title, at(body, path)]).not.toEqual([title, fill(value, variables)])
  }
  for (const [path, item] of Object.entries(contains)) {
    expect([title, ...Object(at(body, path))]).toContain(fill(item, variables))
  }
}

// A text that is one variable becomes its value, which can be a number.
function fill(value: unknown, variables: Variables): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, variables))
  if (typeof value === 'string') {
    const [, whole] = /^\{(\w+)\}$/u.exec(value) ?? []
    if (whole !== undefined) return variables.get(whole)
    return value.replaceAll(/\{(\w+)\}/gu, (_text, name: string) => String(variables.get(name)))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member, variables)]),
  )
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((below, key) => Object(below)[key], value)
}
