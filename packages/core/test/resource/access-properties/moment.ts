import { type Types } from 'mongoose'
import { type FieldName, GuardedModel, names, type Plan } from './guarded-things.ts'
import { type Doc, type Value } from './matches.ts'
import {
  evaluate,
  isDecided,
  isOpen,
  NoSuchOrganization,
  type Party,
  type Reach,
  type Spec,
} from './random-access.ts'
import { type Random } from './random-rules.ts'
import { type Caller, type World } from './world.ts'

export type Stored = Doc & { readonly _id: Types.ObjectId }

export const readAll = (): Promise<Stored[]> => GuardedModel.collection.find<Stored>({}).toArray()
export const toId = ({ _id }: Doc): string => String(_id)
export const toJson = (value: Value): Doc => JSON.parse(JSON.stringify(value))

/** Who sends a request, and where. */
export interface Sender {
  readonly random: Random
  readonly world: World
  readonly plan: Plan
  readonly caller: Caller
  readonly organization: string | undefined
  readonly stored: readonly Stored[]
}

/** A sender who is admitted, and what it may expect. */
export interface Moment extends Sender {
  readonly party: Party
  readonly reaches: (document: Doc) => boolean
  readonly refers: (document: Doc) => boolean
  readonly reads: (field: FieldName | 'nested.x') => boolean
  readonly writes: (field: FieldName) => boolean
}

export type Admission =
  | { readonly status: number }
  | { readonly status?: undefined; readonly party: Party; readonly reach: Exclude<Reach, false> }

// The order of docs/access.md: 401, then the organization, then 403.
export function admit({ access }: Plan, caller: Caller, party: Party): Admission {
  if (caller.key?.revoked || (!caller.person && !isOpen(access))) return { status: 401 }
  try {
    const reach = evaluate(access, party)
    if (!reach) return { status: caller.person ? 403 : 401 }
    // Where callers are optional, a key that may not act for its owner has none.
    return { party: isDecided(access, party) ? party : { ...party, user: undefined }, reach }
  } catch (error) {
    if (!(error instanceof NoSuchOrganization)) throw error
    return { status: party.organization === undefined ? 400 : 404 }
  }
}

export function toAllowed(specs: Readonly<Record<string, Spec | undefined>>, party: Party) {
  return (field: string): boolean => {
    const { [field]: spec } = specs
    return spec === undefined || evaluate(spec, party) !== false
  }
}

function toBase({ organization, plan, world: { from, plans } }: Sender): string {
  const isBelow = plan.inTenant && from === 'path'
  return `${isBelow ? `/api/orgs/${String(organization)}` : '/api'}/t${plans.indexOf(plan)}`
}

export interface Sent {
  readonly status: number
  readonly data: Value
  readonly meta: Doc
  readonly errors: readonly Doc[]
}

/** What was sent last, for messages. */
export let lastSent = ''

export async function send(
  sender: Sender,
  method: string,
  path: string,
  { body, headers }: { body?: object; headers?: object } = {},
): Promise<Sent> {
  const { caller, organization, world } = sender
  const { from, url } = world
  const address = `${toBase(sender)}${path}`
  lastSent = `${caller.name}: ${method} ${address} ${JSON.stringify({ body, headers })}`
  const response = await fetch(`${url}${address}`, {
    method,
    headers: {
      ...caller.headers,
      ...headers,
      ...(from === 'header' && organization && { 'X-Organization': organization }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  })
  const text = await response.text()
  const { data, errors = [], meta = {} } = text === '' ? {} : JSON.parse(text)
  return { status: response.status, data, errors, meta }
}

export interface Choice {
  readonly fields?: readonly string[] | undefined
  readonly include?: boolean
}

/** A document as its reader receives it. */
export function toSeen(moment: Moment, document: Stored, { fields, include }: Choice = {}): Doc {
  const { reads, refers, stored } = moment
  const { createdAt, updatedAt } = document
  const target = stored.find((one) => toId(one) === String(document['other']))
  return {
    ...toOwn(reads, document, fields && [...fields, ...(include ? ['other'] : [])]),
    ...toJson(fields ? {} : { createdAt, updatedAt }),
    ...(include && {
      included: { other: target && refers(target) ? toSeen(moment, target) : null },
    }),
  }
}

function toOwn(reads: Moment['reads'], document: Doc, fields?: readonly string[]): Doc {
  const shown = names.filter((name) => reads(name) && fields?.includes(name) !== false)
  const own = Object.fromEntries(shown.map((name) => [name, document[name]]))
  if (own['nested'] && !reads('nested.x')) {
    const { x: _, ...others } = Object(own['nested'])
    own['nested'] = others
  }
  return { id: toId(document), ...toJson(own) }
}
