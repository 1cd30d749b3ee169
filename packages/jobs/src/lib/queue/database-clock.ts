// The time of the database: the latest one that it has reported, and what has passed since by a monotonic clock.
export interface DatabaseClock {
  estimate(): Date
  observe(now: Date): void
}

export function createDatabaseClock(): DatabaseClock {
  let latest = 0
  let observedAt = performance.now()
  return {
    estimate: () => new Date(latest + Math.floor(performance.now() - observedAt)),
    observe(now) {
      latest = now.getTime()
      observedAt = performance.now()
    },
  }
}
