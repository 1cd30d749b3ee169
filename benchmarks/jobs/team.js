// @ts-check
// Workers of a queue, and what they have done.
import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Longer than a lease.
const suspensionMs = 2500

/** @typedef {{ child: import('node:child_process').ChildProcess, running: Set<number>, isSuspended: boolean }} Worker */

export class Team {
  /** @type {Worker[]} */
  #workers = []
  /** Who has started a job last. @type {Map<number, Worker>} */
  #owners = new Map()
  #args
  /** @type {Set<number>} */
  done = new Set()
  /** @type {Set<number>} */
  repeated = new Set()
  overlaps = 0
  stale = 0

  /** @param {string[]} args */
  constructor(args) {
    this.#args = args
  }

  /** @param {number} skew */
  async add(skew) {
    const script = path.join(import.meta.dirname, 'faults-worker.js')
    const child = fork(script, [...this.#args, String(skew)])
    const worker = { child, running: new Set(), isSuspended: false }
    child.on('message', (/** @type {any} */ { started, wrote }) => {
      if (started !== undefined) this.#onStart(worker, started)
      if (wrote !== undefined) this.#onWrite(worker, wrote)
    })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A worker has ended with ${code}.`)
    })
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    this.#workers.push(worker)
  }

  /** @param {number} skew */
  async replaceOne(skew) {
    const worker = this.#choose()
    this.#workers = this.#workers.filter((one) => one !== worker)
    worker.child.kill('SIGKILL')
    await this.add(skew)
  }

  async suspendOne() {
    const worker = this.#choose()
    worker.isSuspended = true
    worker.child.kill('SIGSTOP')
    await sleep(suspensionMs)
    worker.child.kill('SIGCONT')
    await sleep(50)
    worker.isSuspended = false
  }

  kill() {
    for (const { child } of this.#workers) child.kill('SIGKILL')
  }

  #choose() {
    const worker = this.#workers[randomInt(this.#workers.length)]
    if (!worker) throw new Error('no worker')
    return worker
  }

  /** @param {Worker} worker @param {number} n */
  #onStart(worker, n) {
    const owner = this.#owners.get(n)
    if (owner) this.repeated.add(n)
    const isAlive = owner && this.#workers.includes(owner) && !owner.isSuspended
    if (isAlive && owner !== worker && owner.running.has(n)) this.overlaps += 1
    this.#owners.set(n, worker)
    worker.running.add(n)
  }

  /** @param {Worker} worker @param {number} n */
  #onWrite(worker, n) {
    worker.running.delete(n)
    if (this.#owners.get(n) !== worker) this.stale += 1
    this.done.add(n)
  }
}
