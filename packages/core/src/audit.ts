// The groups are the topics of the API reference: a comment names the topic and its guides.

// Audit trail: docs/audit.md
export { auditChanges } from './lib/audit/audit-changes.ts'
export { type AuditOptions } from './lib/audit/audit-options.ts'
export { type AuditAction, type AuditCaller } from './lib/audit/audit-store.ts'
export {
  type AuditChange,
  type AuditEntry,
  type AuditFilter,
  listAuditEntries,
} from './lib/audit/list-entries.ts'
export { type PurgedAudit, purgeAudit } from './lib/audit/purge-audit.ts'
export {
  type AuditChoice,
  type AuditFault,
  type AuditFaultCode,
  type AuditReport,
  verifyAudit,
} from './lib/audit/verify-audit.ts'
export { type AuditRouteOptions, withAudit } from './lib/audit/with-audit.ts'
