// Where, with what and how a run was made.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { basename } from 'node:path'
import { canPin } from './processes.js'

const packages = [
  'express',
  'helmet',
  'cors',
  'express-rate-limit',
  'morgan',
  'zod',
  'jsonwebtoken',
  'ultimate-express',
  'fastify',
  '@nestjs/core',
  'hono',
  '@hono/node-server',
  'koa',
  '@feathersjs/express',
  'mongoose',
]

/**
 * Describes a run.
 * @returns date, commit, command, machine and versions
 */
export function describeRun({ node, rounds, ms }) {
  return {
    date: new Date().toISOString(),
    commit: readCommit(),
    command: ['node', `http/${basename(process.argv[1])}`, ...process.argv.slice(2)]
      .join(' ')
      .replace(/(--node) \S+/, '$1 …'),
    node: execFileSync(node, ['--version']).toString().trim(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      processors: availableParallelism(),
      memoryGB: Math.round(totalmem() / 2 ** 30),
      loadBefore: loadavg()[0],
      pinned: canPin,
    },
    versions: Object.fromEntries(packages.map((name) => [name, readVersion(name)])),
    rounds,
    ms,
    connections: 50,
  }
}

/** The description of a run in one paragraph. */
export function describe({ date, commit, command, machine, rounds, ms, connections, versions }) {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const connected = connections === undefined ? '' : `, ${connections} connections`
  return `${date}, commit ${commit}, \`${command}\`. ${machine.cpu}, ${machine.processors} processors, ${machine.memoryGB} GB, load ${machine.loadBefore.toFixed(1)} before the run; server and load generator ${machine.pinned ? 'pinned to one processor each' : 'not pinned'}; ${rounds} rounds of ${ms} ms${connected}; no wrong status, no connection error. ${list.join(', ')}.\n`
}

function readCommit() {
  const changed =
    git('status', '--porcelain', '--untracked-files=no', '--', '../packages/core/src', '.') !== ''
  return git('rev-parse', '--short', 'HEAD') + (changed ? ' with changes' : '')
}

function git(...args) {
  return execFileSync('git', args, { cwd: new URL('..', import.meta.url) })
    .toString()
    .trim()
}

function readVersion(name) {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? []
  for (const path of paths) {
    try {
      return JSON.parse(readFileSync(`${path}/${name}/package.json`, 'utf8')).version
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
