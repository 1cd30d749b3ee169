import { type Area, findLocalStorage } from './token-store.ts'
import { wait } from './wait.ts'

// Runs one action at a time.
export type Lock = <Result>(action: () => Promise<Result>) => Promise<Result>

interface LockManager {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    action: () => Promise<void>,
  ): Promise<void>
}

// Browsers do not release the lock of a page that they have frozen.
const longestWait = 10_000

// What one process has written to localStorage arrives in others a little later.
const writeTime = 100

const leaseTime = 5000
const pollTime = 40

// One action at a time, in all tabs where the browser has the Web Locks API or `localStorage`, else in this page. The
// lock of a tab that is closed is free at once, or without Web Locks after five seconds. After ten seconds of waiting the
// action runs in any case.
export function createLock(name: string | undefined): Lock {
  const queue = createQueue()
  if (name === undefined) return queue
  const { locks } = Object((globalThis as { navigator?: object }).navigator) as {
    locks?: LockManager
  }
  if (locks) return (action) => withWebLock(locks, name, action)
  const area = findLocalStorage()
  // The entry `name` has the tokens.
  const entry = `${name}:lease`
  return area ? (action) => queue(() => withLease(area, entry, action)) : queue
}

function withWebLock<Result>(
  locks: LockManager,
  name: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), longestWait)
  return new Promise((resolve, reject) => {
    const run = async (): Promise<void> => {
      clearTimeout(timer)
      await action().then(resolve, reject)
      await wait(writeTime)
    }
    locks.request(name, controller, run).catch(() => resolve(action()))
  })
}

function createQueue(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const result = last.then(action, action)
    last = result.catch(() => undefined)
    return result
  }
}

// A lease that is renewed while the action runs. Two tabs that write at the same moment read who was last.
async function withLease<Result>(
  area: Area,
  name: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const own = String(Math.random())
  const take = (): void => area.setItem(name, `${own} ${Date.now() + leaseTime}`)
  const readHolder = (): string | undefined => {
    const [holder, until] = area.getItem(name)?.split(' ') ?? []
    return Number(until) > Date.now() ? holder : undefined
  }
  const latest = Date.now() + longestWait
  while (Date.now() < latest && readHolder() !== own) {
    if (!readHolder()) take()
    await wait(pollTime)
  }
  const renewal = setInterval(take, leaseTime / 3)
  try {
    return await action()
  } finally {
    clearInterval(renewal)
    if (readHolder() === own) area.removeItem(name)
  }
}
