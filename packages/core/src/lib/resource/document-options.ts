import { type z } from 'zod'
import { type Scope } from '../access/scope.ts'
import { type Readable } from '../json/plain.ts'
import { type ReferenceScopes } from './require-references.ts'
import { type IfMatch } from './version.ts'

/** Options for reading documents. */
export interface ReadOptions {
  /**
   * The documents that the caller can reach: `req.scope`, one of `req.references`, or `{}` for every document. A scope
   * that names a field that the model does not have is an error, and so is undefined.
   */
  readonly scope: Scope | undefined
}

/** Options for creating a document. */
export interface CreateOptions extends ReadOptions {
  /**
   * The documents that the caller can refer to: `req.references`. The documents that the input refers to have to exist
   * and be among them.
   * @default undefined, references are not checked
   */
  readonly references?: ReferenceScopes | undefined
}

/** Options for deleting a document. */
export interface DeleteOptions extends ReadOptions {
  /** The versions that may be changed: `parseIfMatch(req)`, or `{}` for any version. */
  readonly match: IfMatch
}

/** Options for changing a document. */
export interface ChangeOptions extends CreateOptions, DeleteOptions {}

/** Options for {@link replaceDocument} and {@link patchDocument}. */
export interface WriteOptions extends ChangeOptions {
  /** The schema of the body. */
  readonly schema: z.ZodObject
  /** The body, parsed by it. */
  readonly input: Readable
}
