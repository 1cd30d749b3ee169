import cluster from 'node:cluster'

// `alone` serves requests in the only process; with several workers the first process is `primary`.
export type ProcessRole = 'alone' | 'primary' | 'worker'

export function toProcessRole(workers: number): ProcessRole {
  if (workers === 1) return 'alone'
  return cluster.isPrimary ? 'primary' : 'worker'
}
