/**
 * Waits for work, but not for ever.
 * @param ms - how long
 * @param work - what to wait for
 * @returns whether it was done in time
 * @throws what the work throws in time
 */
export async function settleWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
