export { idempotency } from './lib/http/idempotency.ts'
export { emailAddress } from './lib/kernel/email-address.ts'
export { type FieldAccess, restrict } from './lib/kernel/restrict.ts'
export {
  createSerializer,
  type Serializer,
  type SerializerOptions,
} from './lib/kernel/serializer.ts'
export { createInScope } from './lib/resource/create-in-scope.ts'
export { decimal, type DecimalField, type DecimalOptions } from './lib/resource/decimal.ts'
export { type Operator } from './lib/resource/filter-kinds.ts'
export {
  type Condition,
  defineFilter,
  type Filter,
  type FilterFunction,
  type MappedFilter,
  type OwnFilter,
} from './lib/resource/filter-parameters.ts'
export { findPage, type Page } from './lib/resource/find-page.ts'
export { inScope } from './lib/resource/in-scope.ts'
export { integerIds, type IntegerIdOptions } from './lib/resource/integer-ids.ts'
export {
  type Included,
  type IncludeOptions,
  includeReferences,
} from './lib/resource/include-references.ts'
export {
  defineListQuery,
  type Filters,
  type ListQuery,
  type ListQueryOptions,
  type Sort,
} from './lib/resource/list-query.ts'
export { type ListSource } from './lib/resource/list-source.ts'
export {
  restoreDocument,
  type RestoreOptions,
  softDeleteDocument,
  type SoftDeleteOptions,
} from './lib/resource/delete-document.ts'
export { type OutputShape, toOutputSchema } from './lib/resource/output-schema.ts'
export { type Paging } from './lib/resource/paging.ts'
export { patchDocument, type PatchOptions } from './lib/resource/patch-document.ts'
export { type PatchShape, toPatchSchema } from './lib/resource/patch-schema.ts'
export { purgeDeleted, type PurgeOptions } from './lib/resource/purge-deleted.ts'
export { replaceDocument, type ReplaceOptions } from './lib/resource/replace-document.ts'
export { type ReferenceScopes, requireReferences } from './lib/resource/require-references.ts'
export {
  cursorMeta,
  type IdParams,
  idParams,
  instant,
  integerId,
  type ListMeta,
  listMeta,
  objectId,
  offsetMeta,
  pageMeta,
  webUrl,
} from './lib/resource/schemas.ts'
export { softDelete } from './lib/resource/soft-delete.ts'
export { toMergePatch, toReplacement, type Update } from './lib/resource/update.ts'
export {
  type IfMatch,
  parseIfMatch,
  rejectMiss,
  requireFound,
  setCreated,
  setEtag,
} from './lib/resource/version.ts'
export {
  type Stored,
  type StoredDocument,
  type StoredFields,
  versioned,
} from './lib/resource/versioned.ts'
export {
  defineView,
  type Include,
  toProjection,
  type View,
  type ViewOptions,
  type ViewQuery,
} from './lib/resource/view.ts'
