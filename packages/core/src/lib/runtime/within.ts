// Waits for work up to `ms` milliseconds, then resolves to what `onTimeout` returns or rejects with
// what it throws. The work itself goes on.
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    return await Promise.race([work, timeout.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}

// Whether the work was done within `ms` milliseconds.
export function settleWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return within(
    ms,
    work.then(() => true),
    () => false,
  )
}
