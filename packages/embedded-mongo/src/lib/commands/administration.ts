import { arch, cpus, hostname, release, totalmem, type } from 'node:os'
import { Long } from 'bson'
import { type Doc } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Command } from './context.ts'
import { toBoolean, toCount } from './requirements.ts'

// What mongosh, Compass and other tools ask for when they connect, or to show the state of the server.

// There are no users: who can connect may do everything.
export const connectionStatus: Command = {
  options: ['showPrivileges'],
  run({ body }) {
    const showsPrivileges = toBoolean(body['showPrivileges'], 'connectionStatus.showPrivileges')
    return {
      authInfo: {
        authenticatedUsers: [],
        authenticatedUserRoles: [],
        ...(showsPrivileges ? { authenticatedUserPrivileges: [] } : {}),
      },
    }
  },
}

export const getCmdLineOpts: Command = {
  options: [],
  adminOnly: true,
  run: () => ({ argv: ['embedded-mongo'], parsed: {} }),
}

// The database writes no separate log: messages go to the application.
export const getLog: Command = {
  options: [],
  adminOnly: true,
  run({ body }) {
    const name = body['getLog']
    if (name === '*') return { names: ['global', 'startupWarnings'] }
    if (name === 'global' || name === 'startupWarnings') return { totalLinesWritten: 0, log: [] }
    throw new CommandError('OperationFailed', `No log named '${String(name)}'`)
  },
}

export const hostInfo: Command = {
  options: [],
  run({ now }) {
    const processors = cpus().length
    return {
      system: {
        currentTime: now,
        hostname: hostname(),
        cpuAddrSize: 64,
        memSizeMB: Math.round(totalmem() / 1024 / 1024),
        numCores: processors,
        cpuArch: arch(),
      },
      os: { type: type(), name: type(), version: release() },
      extra: { nodeVersion: process.version },
    }
  },
}

// The profiler is always off.
export const profile: Command = {
  options: ['slowms', 'sampleRate', 'filter'],
  run({ body }) {
    const isQuestion = Number(body['profile']) === -1
    if (!isQuestion && toCount(body['profile'], 'profile.profile') !== 0) {
      throw notImplemented('profiling')
    }
    return { was: 0, slowms: 100, sampleRate: 1 }
  },
}

// Both members are this process, so they are always in the same state.
export const replSetGetStatus: Command = {
  options: ['initialSync'],
  adminOnly: true,
  run({ server, now }) {
    const { name, primary, secondary } = server.members
    const optime = { ts: server.clock.now(), t: Long.ONE }
    const uptime = Math.floor((now.getTime() - server.startedAt.getTime()) / 1000)
    const members: Doc[] = [
      { _id: 0, name: primary, state: 1, stateStr: 'PRIMARY', self: server.isPrimary },
      { _id: 1, name: secondary, state: 2, stateStr: 'SECONDARY', self: !server.isPrimary },
    ]
    return {
      set: name,
      date: now,
      myState: server.isPrimary ? 1 : 2,
      term: Long.ONE,
      heartbeatIntervalMillis: Long.fromNumber(2000),
      majorityVoteCount: 2,
      writeMajorityCount: 2,
      votingMembersCount: 2,
      writableVotingMembersCount: 2,
      optimes: { lastCommittedOpTime: optime, appliedOpTime: optime, durableOpTime: optime },
      members: members.map(({ self, ...member }) => ({
        ...member,
        health: 1,
        uptime,
        optime,
        configVersion: 1,
        ...(self === true ? { self } : {}),
      })),
    }
  },
}

export const replSetGetConfig: Command = {
  options: ['commitmentStatus'],
  adminOnly: true,
  run({ server }) {
    const { name, primary, secondary } = server.members
    return {
      config: {
        _id: name,
        version: 1,
        term: 1,
        members: [primary, secondary].map((host, id) => ({
          _id: id,
          host,
          arbiterOnly: false,
          buildIndexes: true,
          hidden: false,
          priority: 1,
          tags: {},
          secondaryDelaySecs: Long.ZERO,
          votes: 1,
        })),
        protocolVersion: Long.ONE,
        writeConcernMajorityJournalDefault: false,
      },
    }
  },
}

export const usersInfo: Command = {
  options: [
    'filter',
    'showAuthenticationRestrictions',
    'showCredentials',
    'showCustomData',
    'showPrivileges',
  ],
  run: () => ({ users: [] }),
}

// The built-in ones neither: there is no one to grant them to.
export const rolesInfo: Command = {
  options: ['showAuthenticationRestrictions', 'showBuiltinRoles', 'showPrivileges'],
  run: () => ({ roles: [] }),
}

// MongoDB reports its engine for JavaScript, which this server does not have.
export const features: Command = { options: ['oidReset'], run: () => ({}) }
