export {
  emailPattern,
  formulaPattern,
  maxEmailLength,
  maxUrlLength,
  urlPattern,
} from './lib/schemas/text-patterns.ts'
