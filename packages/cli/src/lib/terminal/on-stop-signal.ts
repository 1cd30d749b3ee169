const signals = ['SIGINT', 'SIGTERM'] as const

// Calls `onSignal` instead of exiting. Returns a function that restores what signals did before.
export function onStopSignal(onSignal: (signal: NodeJS.Signals) => void): () => void {
  const replaced = signals.map((signal) => {
    const listeners = process.listeners(signal)
    process.removeAllListeners(signal).on(signal, onSignal)
    return { signal, listeners }
  })
  return () => {
    for (const { signal, listeners } of replaced) {
      process.off(signal, onSignal)
      for (const listener of listeners) process.on(signal, listener)
    }
  }
}
