import defaultServer, { MongoMemoryReplSet, MongoMemoryServer } from '@create-api/embedded-mongo'
import theirDefault, * as theirs from 'mongodb-memory-server-core'
import { describe, expect, it } from 'vitest'

const ours = { MongoMemoryServer, MongoMemoryReplSet }

// What only makes sense with a process or a binary, or is protected there.
const left = {
  MongoMemoryServer: [
    '_startUpInstance',
    'authObjectEnable',
    'createAuth',
    'debug',
    'getNewPort',
    'getStartOptions',
    'stateChange',
  ],
  MongoMemoryReplSet: [
    '_initReplSet',
    '_initServer',
    '_waitForPrimary',
    'binaryOpts',
    'enableAuth',
    'ensureKeyFile',
    'getInstanceOpts',
    'initAllServers',
    'instanceOpts',
    'replSetOpts',
    'stateChange',
  ],
}

function membersOf(type: { prototype: object }): (string | symbol)[] {
  return Reflect.ownKeys(type.prototype)
}

describe.each(['MongoMemoryServer', 'MongoMemoryReplSet'] as const)('%s', (name) => {
  it('has the members of mongodb-memory-server, except those about its process', () => {
    const own = membersOf(ours[name])
    const missing = membersOf(theirs[name]).filter((member) => !own.includes(member))
    expect(missing.map(String).toSorted()).toEqual(left[name])
  })

  it('adds none', () => {
    const known = membersOf(theirs[name])
    expect(membersOf(ours[name]).filter((member) => !known.includes(member))).toEqual([])
  })

  it('goes through the same states with the same events', async () => {
    // Without a binary theirs cannot start: what can be compared is the state before.
    expect(new ours[name]().state).toBe(new theirs[name]().state)
    expect(await new ours[name]().stop()).toBe(await new theirs[name]().stop())
  })
})

it('exports the classes under the same names, and the server as default', () => {
  expect(defaultServer).toBe(MongoMemoryServer)
  expect(theirDefault).toBe(theirs.MongoMemoryServer)
})
