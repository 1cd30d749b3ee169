// The groups are the topics of the API reference: a comment names the topic and its guides.

// Personal data: docs/personal-data.md
export {
  ErasureIncompleteError,
  ErasureRefusedError,
  erasePerson,
} from './lib/personal-data/erase-person.ts'
export { exportPerson, type PersonalDocument } from './lib/personal-data/export-person.ts'
export { createPersonRouter, type PersonRouterOptions } from './lib/personal-data/person-router.ts'
export { addPersonalStore, type PersonalStore } from './lib/personal-data/personal-store.ts'
export { personalData, type PersonalDataOptions } from './lib/personal-data/personal-data.ts'
export {
  type ErasurePlan,
  type ErasureStep,
  type OpenDecision,
  planErasure,
} from './lib/personal-data/plan-erasure.ts'
