/**
 * Measures how the CPU time of a function grows with the length of its input. A ratio is the same on a slow or busy
 * machine, where a maximum in milliseconds is not.
 * @param run - is called with the length, and with four times the length
 * @param length - for which a call takes some milliseconds
 * @returns how many times as long the longer input takes: about 4 when the time is linear, 16 when it is quadratic
 */
export async function measureGrowth(
  run: (length: number) => unknown,
  length: number,
): Promise<number> {
  let [short, long] = [Infinity, Infinity]
  // The fastest of a few, without compilation and garbage collection.
  for (let round = 0; round < 3; round++) {
    short = Math.min(short, await measureCpu(() => run(length)))
    long = Math.min(long, await measureCpu(() => run(4 * length)))
  }
  return long / short
}

/**
 * Measures the CPU time of this process while a function runs.
 * @param run - the function
 * @returns microseconds
 */
export async function measureCpu(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
