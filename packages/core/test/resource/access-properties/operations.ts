import { expect } from 'vitest'
import { names } from './guarded-things.ts'
import { type Doc, type Value } from './matches.ts'
import {
  admit,
  type Moment,
  readAll,
  send,
  type Sent,
  type Stored,
  toId,
  toJson,
  toSeen,
} from './moment.ts'
import { toCompared } from './random-access.ts'
import { createQuery, toSorted } from './random-query.ts'
import { asStored, mergePatch } from './random-things.ts'
import { toInput } from './store-things.ts'

async function readList(moment: Moment): Promise<void> {
  const { random, reaches, reads, stored, world: current } = moment
  const query = createQuery(current, random, reads)
  const found: Value[] = []
  if (!query.isKnown) {
    expect((await send(moment, 'GET', `?${query.text}`)).status).toBe(400)
    return
  }
  const wanted = stored.filter((document) => reaches(document) && query.matches(document))
  const expected = toSorted(wanted, query.sort).map((one) => toSeen(moment, one, query.choice))
  if (random.chance(40)) {
    const { data, meta, status } = await send(moment, 'GET', `?page=2&limit=4&${query.text}`)
    expect({ status, total: meta['total'] }).toEqual({ status: 200, total: expected.length })
    expect(data).toEqual(expected.slice(4, 8))
    return
  }
  let cursor: Value = ''
  do {
    const path = `?limit=4&cursor=${String(Object(cursor))}&${query.text}`
    const { data, meta, status } = await send(moment, 'GET', path)
    expect(status).toBe(200)
    found.push(...(data as Doc[]))
    cursor = meta['nextCursor']
  } while (cursor !== undefined)
  expect(found).toEqual(expected)
}

// A cursor is for one list of one scope: those of other callers, organizations and queries are a 400.
async function readAfterForeignCursor(moment: Moment): Promise<void> {
  const { organization, plan, random, reaches, reads, stored, world } = moment
  const query = createQuery(world, random, reads)
  const given = random.chance(70) ? query : createQuery(world, random, reads)
  const caller = random.chance(70) ? random.pick(world.callers) : moment.caller
  const other = {
    ...moment,
    caller,
    organization: random.pick([organization, ...world.organizations]),
  }
  const { meta } = await send(other, 'GET', `?limit=2&cursor=&${given.text}`)
  const { nextCursor: cursor } = meta
  if (typeof cursor !== 'string') return
  const { data, status } = await send(moment, 'GET', `?limit=99&cursor=${cursor}&${query.text}`)
  const admission = admit(plan, caller, world.toParty(caller, other.organization))
  const isSameScope =
    admission.status === undefined &&
    stored.every((document) => admission.reach(document) === reaches(document))
  if (!query.isKnown || !isSameScope || query.list !== given.list) expect(status).toBe(400)
  // Different rules can reach the same documents.
  if (status === 400) return
  expect(status).toBe(200)
  const wanted = stored.filter((document) => reaches(document) && query.matches(document))
  const expected = toSorted(wanted, query.sort).map((one) => toSeen(moment, one, query.choice))
  expect(data).toEqual(expected.slice(2))
}

async function show(moment: Moment): Promise<void> {
  const { plan, random, reaches, reads, stored } = moment
  const target = random.pick(stored)
  const { text, choice } = random.pick([
    { text: '', choice: {} },
    { text: '?fields=a,level', choice: { fields: ['a', 'level'] } },
    { text: '?include=other', choice: { include: true } },
  ])
  const isKnown = [...(choice.fields ?? []), ...(choice.include ? ['other'] : [])].every((field) =>
    names.some((name) => name === field && reads(name)),
  )
  const isConditional = random.chance(40)
  const headers = isConditional ? { 'If-None-Match': `"${String(target['__v'])}"` } : {}
  const { data, status } = await send(moment, 'GET', `/${toId(target)}${text}`, { headers })
  if (!isKnown) return expect(status).toBe(400)
  if (!reaches(target)) return expect(status).toBe(404)
  // A version says nothing about the fields that a caller receives.
  const isFresh = isConditional && text === '' && Object.keys(plan.readable).length === 0
  expect(status).toBe(isFresh ? 304 : 200)
  if (!isFresh) expect(data).toEqual(toSeen(moment, target, choice))
}

// Members of a body that its sender does not have.
function toUnknown({ writes }: Moment, body: object): string[] {
  return Object.keys(body).filter((key) => !names.some((name) => name === key && writes(name)))
}

function expectUnknown({ errors, status }: Sent, unknown: readonly string[]): void {
  expect(status).toBe(422)
  const pointers = errors.map(({ code, pointer }) => `${String(code)} ${String(pointer)}`)
  const expected = unknown.map((name) => `unrecognized_key #/${name}`)
  expect(pointers.toSorted()).toEqual(expected.toSorted())
}

function toBody({ random, stored, world: current, writes }: Moment) {
  const other = random.chance(25) ? random.pick(stored) : undefined
  const all = { ...toInput(random, current, false), ...(other && { other: toId(other) }) }
  // Mostly what may be written, so that bodies are accepted.
  const isCareful = random.chance(75)
  const kept = Object.entries(all).filter(
    ([key]) => !isCareful || names.some((name) => name === key && writes(name)),
  )
  const organization = random.chance(5) && { organization: random.pick(current.organizations) }
  const body: Record<string, Value> = { ...Object.fromEntries(kept), ...organization }
  return { body, other: 'other' in body ? other : undefined }
}

const expectFields = (actual: Doc, expected: Doc): void => {
  const pick = (document: Doc): Doc =>
    toJson(Object.fromEntries(names.map((name) => [name, document[name]])))
  expect(pick(actual)).toEqual(pick(expected))
}

async function create(moment: Moment): Promise<void> {
  const { party, plan, reaches, refers, stored } = moment
  const { body, other } = toBody(moment)
  const sent = await send(moment, 'POST', '', { body })
  const after = await readAll()
  const unknown = toUnknown(moment, body)
  if (sent.status !== 201) expect(after).toHaveLength(stored.length)
  if (unknown.length > 0) return expectUnknown(sent, unknown)
  if (other && !refers(other)) return expect(sent.status).toBe(422)
  const input: Doc = { level: 1, ...asStored(body) }
  if (sent.status === 201) {
    const created = after.find((one) => toId(one) === Object(sent.data).id)
    expect(reaches(created ?? {})).toBe(true)
    // What the rule compares, it may set.
    const compared = toCompared(plan.access)
    const free = names.filter(
      (name) => !compared.includes(name) || (name in body && name !== 'nested'),
    )
    for (const name of free) expect(toJson([created?.[name]])).toEqual(toJson([input[name]]))
    expect(sent.data).toEqual(created && toSeen(moment, created))
    return
  }
  expect(sent.status).toBe(403)
  const { organization } = party
  const stamped = { ...(plan.access.kind === 'owner' && { owner: party.user?.id }), organization }
  expect(reaches({ ...stamped, ...input })).toBe(false)
}

async function change(moment: Moment): Promise<void> {
  const { random, reaches, refers, stored, writes } = moment
  const target = random.pick(stored)
  const isPut = random.chance(40)
  const { body, other } = toBody(moment)
  const removed = random.pick(['a', 'tags', 'nested', 'owner', 'at', 'flag'])
  if (!isPut && random.chance(30)) body[removed] = null
  const isStale = random.chance(15)
  const version = isStale ? 99 : String(target['__v'])
  const headers = isStale || random.chance(30) ? { 'If-Match': `"${version}"` } : {}
  const method = isPut ? 'PUT' : 'PATCH'
  const sent = await send(moment, method, `/${toId(target)}`, { body, headers })
  const after = (await readAll()).find((one) => one._id.equals(target._id))
  const unknown = toUnknown(moment, body)
  const expected = isPut ? replace(target, body, writes) : mergePatch(target, asStored(body))
  if (sent.status !== 200) expect(after).toEqual(target)
  if (unknown.length > 0) return expectUnknown(sent, unknown)
  if (other && !refers(other)) return expect(sent.status).toBe(422)
  if (!reaches(target)) return expect(sent.status).toBe(404)
  if (isStale) return expect(sent.status).toBe(412)
  if (!reaches(Object(expected))) return expect(sent.status).toBe(403)
  expect(sent.status).toBe(200)
  expectFields(after ?? {}, Object(expected))
  expect(after?.['organization']).toEqual(target['organization'])
  expect(sent.data).toEqual(after && toSeen(moment, after))
}

// PUT keeps what its sender could not write.
function replace(target: Stored, body: Doc, writes: Moment['writes']): Doc {
  const written = names.filter(writes)
  const others = Object.entries(target).filter(([key]) => !written.some((name) => name === key))
  return {
    ...Object.fromEntries(others),
    ...(writes('level') && { level: 1 }),
    ...asStored(body),
  }
}

async function remove(moment: Moment): Promise<void> {
  const { random, reaches, stored } = moment
  const target = random.pick(stored)
  const isStale = random.chance(30)
  const headers = isStale ? { 'If-Match': '"99"' } : {}
  const { status } = await send(moment, 'DELETE', `/${toId(target)}`, { headers })
  const isReached = reaches(target)
  expect(status).toBe(isReached ? (isStale ? 412 : 204) : 404)
  const isLeft = (await readAll()).some((one) => one._id.equals(target._id))
  expect(isLeft).toBe(!isReached || isStale)
}

/** Each is a random request of a caller who is admitted, with what must come of it. */
export const operations = [
  readList,
  readList,
  readList,
  readAfterForeignCursor,
  show,
  show,
  create,
  create,
  change,
  change,
  change,
  remove,
]
