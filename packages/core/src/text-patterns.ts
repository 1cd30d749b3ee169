export {
  emailPattern,
  maxEmailLength,
  maxUrlLength,
  urlPattern,
} from './lib/schemas/text-patterns.ts'
