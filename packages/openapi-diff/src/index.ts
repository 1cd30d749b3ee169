// The groups are the topics of the API reference: a comment names the topic and its guides.

// Comparison: docs/cli.md
export { type CompareOptions, compareDocuments } from './lib/compare-documents.ts'
export { type Difference } from './lib/comparison.ts'
export { DocumentError } from './lib/document.ts'
export { type Rule, type RuleName, rules } from './lib/rules.ts'
