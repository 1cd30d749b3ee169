// For this project's own packages; can change in any release.
export { countWithOther } from './lib/limits/counted-connections.ts'
