// The groups are the topics of the API reference: a comment names the topic and its guides.

// Lists: docs/resources.md#lists
export {
  defineListQuery,
  type Filters,
  type ListQuery,
  type ListQueryOptions,
  type Sort,
} from './lib/resource/list-query.ts'
export { findPage, type Page } from './lib/resource/find-page.ts'
export {
  type Condition,
  defineFilter,
  type Filter,
  type FilterFunction,
  type MappedFilter,
  type OwnFilter,
} from './lib/resource/filter-parameters.ts'
export { type Operator } from './lib/resource/filter-kinds.ts'
export { type ListSource } from './lib/resource/list-source.ts'
export { type Paging } from './lib/resource/paging.ts'
export {
  cursorMeta,
  type ListMeta,
  listMeta,
  offsetMeta,
  pageMeta,
  totalOnRequestMeta,
} from './lib/resource/schemas.ts'

// Selected fields and references: docs/resources.md#selecting-fields-and-including-references
export {
  defineView,
  type Include,
  toProjection,
  type View,
  type ViewOptions,
  type ViewQuery,
} from './lib/resource/view.ts'
export {
  type Included,
  type IncludeOptions,
  includeReferences,
} from './lib/resource/include-references.ts'
export {
  type ReferenceOptions,
  type ReferenceScopes,
  requireReferences,
} from './lib/resource/require-references.ts'

// Schemas: docs/resources.md#schemas
export { toPatchSchema, type PatchShape } from './lib/resource/patch-schema.ts'
export { toOutputSchema, type OutputShape } from './lib/resource/output-schema.ts'
export {
  createSerializer,
  type Serializer,
  type SerializerOptions,
} from './lib/response/serializer.ts'
export { type FieldAccess, restrict } from './lib/schemas/restrict.ts'

// Types of fields and parameters: docs/resources.md#field-types
export { type IdParams, idParams, integerId, objectId, webUrl } from './lib/resource/schemas.ts'
export { instant } from './lib/schemas/instant.ts'
export { emailAddress } from './lib/schemas/email-address.ts'
export { decimal, type DecimalField, type DecimalOptions } from './lib/resource/decimal.ts'

// Reads and writes within a scope: docs/access.md#the-scope-of-a-request, docs/resources.md#changes
export {
  type ChangeOptions,
  type CreateOptions,
  type DeleteOptions,
  type ReadOptions,
  type WriteOptions,
} from './lib/resource/document-options.ts'
export { findNested } from './lib/route/find-nested.ts'
export { findDocument, type FindOptions } from './lib/resource/find-document.ts'
export { createDocument } from './lib/resource/create-document.ts'
export { replaceDocument } from './lib/resource/replace-document.ts'
export { patchDocument } from './lib/resource/patch-document.ts'
export { deleteDocument, restoreDocument } from './lib/resource/delete-document.ts'
export { inScope } from './lib/resource/in-scope.ts'
export { idempotency } from './lib/http/idempotency.ts'

// Shared commands: docs/performance.md#shared-commands
export { unsharedCommands } from './lib/resource/shared-commands.ts'

// Deleted documents: docs/resources.md#deleted-documents
export { softDelete } from './lib/resource/soft-delete.ts'
export { purgeDeleted, type PurgeOptions } from './lib/resource/purge-deleted.ts'

// Versions: docs/resources.md#versions-and-if-match
export {
  type Stored,
  type StoredDocument,
  type StoredFields,
  versioned,
} from './lib/resource/versioned.ts'
export { type IfMatch, parseIfMatch, rejectMiss, requireFound } from './lib/resource/version.ts'
export { setCreated, setEtag } from './lib/response/etag.ts'

// Integer ids: docs/resources.md#integer-ids
export { integerIds, type IntegerIdOptions } from './lib/resource/integer-ids.ts'
