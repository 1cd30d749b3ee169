export { compareDocuments } from './lib/compare-documents.ts'
export { type Difference } from './lib/comparison.ts'
export { DocumentError } from './lib/document.ts'
export { type Rule, type RuleName, rules } from './lib/rules.ts'
