/** Options of one server, as in `mongodb-memory-server`. */
export interface MemoryServerInstanceOptions {
  /**
   * TCP port on 127.0.0.1.
   * @default a free port
   */
  port?: number | undefined
  /**
   * Whether another port is used when `port` is taken; with `false` the start fails.
   * @default true
   */
  portGeneration?: boolean | undefined
  /** The address to listen on: only `127.0.0.1` and `localhost`, because there is no authentication. */
  ip?: string | undefined
  /** A folder that keeps the data, created when missing. Without it the data is in memory. */
  dbPath?: string | undefined
  /** Reported by `instanceInfo`; it has no other effect. */
  dbName?: string | undefined
  /**
   * Name of the replica set in responses of `hello`.
   * @default 'rs0'
   */
  replSet?: string | undefined
  /** Accepted for compatibility; transactions work with either value. */
  storageEngine?: 'ephemeralForTest' | 'wiredTiger' | undefined
  /** Accepted for compatibility: a start takes milliseconds. */
  launchTimeout?: number | undefined
}

/** What `stop` and `cleanup` remove. */
export interface Cleanup {
  /** Removes what was stored in memory. */
  doCleanup: boolean
  /**
   * Also removes the folder of `dbPath`.
   * @default false
   */
  force?: boolean | undefined
}

/** What `await using` does at the end of its block. */
export interface DisposeOptions {
  /**
   * Whether the server is stopped.
   * @default true
   */
  enabled?: boolean | undefined
  /** Passed to `stop`. */
  cleanup?: Cleanup | undefined
}

/** Options of `MongoMemoryServer`. */
export interface MongoMemoryServerOptions {
  /** The server. */
  instance?: MemoryServerInstanceOptions | undefined
  /** What `await using` does at the end of its block. */
  dispose?: DisposeOptions | undefined
}

/** Options of a replica set, as in `mongodb-memory-server`. */
export interface MemoryReplicaSetOptions {
  /**
   * Name of the replica set.
   * @default 'testset'
   */
  name?: string | undefined
  /**
   * Number of members that is asked for. Clients always see two, a primary and a secondary, and both serve the
   * same data.
   * @default 1
   */
  count?: number | undefined
  /** Reported by `instanceInfo`; it has no other effect. */
  dbName?: string | undefined
  /** The address to listen on: only `127.0.0.1` and `localhost`, because there is no authentication. */
  ip?: string | undefined
  /** Accepted for compatibility; transactions work with either value. */
  storageEngine?: 'ephemeralForTest' | 'wiredTiger' | undefined
  /** What `await using` does at the end of its block. */
  dispose?: DisposeOptions | undefined
}

/** Options of `MongoMemoryReplSet`. */
export interface MongoMemoryReplSetOptions {
  /** Options of the server: at most one entry, because one server acts for all members. */
  instanceOpts?: MemoryServerInstanceOptions[] | undefined
  /** The replica set. */
  replSet?: MemoryReplicaSetOptions | undefined
}

type Check = (value: unknown, name: string) => void
type Checks = Readonly<Record<string, Check>>

const anything: Check = () => {}
const noProcess = refuse('no process is started')

const ip: Check = (value, name) => {
  if (value === undefined || value === '127.0.0.1' || value === 'localhost') return
  throw new TypeError(
    `'${name}' must be 127.0.0.1: the database has no authentication and listens on this machine only.`,
  )
}

const port: Check = (value, name) => {
  const isPort =
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 65_536
  if (value === undefined || isPort) return
  throw new TypeError(`'${name}' must be a whole number from 0 to 65535.`)
}

const auth: Check = (value, name) => {
  if (isObject(value) && value['enable'] !== true) return
  refuse('the database has no authentication')(value === false ? undefined : value, name)
}

const instance: Checks = {
  args: noProcess,
  auth,
  dbName: anything,
  ip,
  keyfileLocation: refuse('the database has no authentication'),
  launchTimeout: anything,
  replicaMemberConfig: refuse('the members of the replica set cannot be configured'),
  dbPath: anything,
  port,
  portGeneration: anything,
  replSet: anything,
  storageEngine: anything,
}
const binary = refuse('there is no binary, and nothing is downloaded')

export const serverChecks: Checks = {
  auth,
  binary,
  dispose: anything,
  instance: nested(instance),
  spawn: noProcess,
}

export const replicaSetChecks: Checks = {
  binary,
  instanceOpts: (value, name) => {
    const entries = Array.isArray(value) ? value : []
    if (entries.length > 1) {
      throw new TypeError(`'${name}' can have one entry: one server acts for all members.`)
    }
    for (const entry of entries) nested(instance)(entry, `${name}[0]`)
  },
  replSet: nested({
    args: noProcess,
    auth,
    configSettings: refuse('there are no elections'),
    count: (value, name) => {
      if (value === undefined || (Number.isInteger(value) && Number(value) > 0)) return
      throw new TypeError(`'${name}' must be at least 1.`)
    },
    dbName: anything,
    dispose: anything,
    ip,
    name: anything,
    spawn: noProcess,
    storageEngine: anything,
  }),
}

// Throws for options that this database cannot honour.
export function checkOptions(options: object, checks: Checks, prefix = ''): void {
  for (const [key, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined
    if (!check) {
      throw new TypeError(
        `Unknown option '${prefix}${key}'. Known: ${Object.keys(checks).toSorted().join(', ')}.`,
      )
    }
    check(value, `${prefix}${key}`)
  }
}

function nested(checks: Checks): Check {
  return (value, name) => {
    if (isObject(value)) checkOptions(value, checks, `${name}.`)
  }
}

// Empty values say nothing that would have to be honoured.
function refuse(reason: string): Check {
  return (value, name) => {
    if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return
    const [key] = isObject(value) && !Array.isArray(value) ? Object.keys(value) : []
    const path = key === undefined ? name : `${name}.${key}`
    throw new TypeError(`'${path}' cannot be used: ${reason}. Remove it.`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
