export { closestName } from './lib/options/closest-name.ts'
