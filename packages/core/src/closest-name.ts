export { closestName } from './lib/kernel/closest-name.ts'
