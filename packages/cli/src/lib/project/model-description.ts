import * as z from 'zod/mini'

// What is known of a Mongoose model that the application had before its resource: plain data, which `.api/manifest.json`
// keeps, so that the resource can be generated again without loading the model.

/** How a module gives the model. */
export interface ModelExport {
  /** What the export is; nothing is exported if the module only registers the model. */
  readonly is: 'model' | 'schema' | 'function' | 'registered'
  /** `default`, or the name of an export. */
  readonly name: string
  /** Member of the default export. */
  readonly member?: string | undefined
  /** What a function is called with. */
  readonly argument?: 'mongoose' | 'mongoose.connection' | undefined
}

/** A field of the schema, an item of a list or a value of a map. */
export interface ModelPath {
  readonly name: string
  /** Instance of the schema type, `Nested`, `Subdocument` or `Recursive`. */
  readonly type: string
  /** `sometimes` if a function decides. */
  readonly required?: 'always' | 'sometimes' | undefined
  readonly default?: ModelDefault | undefined
  readonly enum?: readonly (string | number | null)[] | undefined
  /** Of dates as ISO 8601. */
  readonly min?: number | string | undefined
  readonly max?: number | string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly match?: { readonly source: string; readonly flags: string } | undefined
  /** Values that `match` accepts. */
  readonly examples?: readonly string[] | undefined
  /** Code of a value that validators of the application accept; it may contain `count`. */
  readonly sample?: string | undefined
  /** What the schema does with a value, and Zod cannot: `validate`, `get`, `set`, `lowercase`, `trim`, `immutable()`, … */
  readonly uses?: readonly string[] | undefined
  /** Why it is hidden. */
  readonly hidden?: string | undefined
  readonly immutable?: true | undefined
  readonly unique?: true | undefined
  readonly sparse?: true | undefined
  /** Name of a model. */
  readonly ref?: string | undefined
  readonly alias?: string | undefined
  readonly members?: readonly ModelPath[] | undefined
  /** Accepts members that are not in the schema. */
  readonly loose?: true | undefined
  readonly item?: ModelPath | undefined
  /** Values of the discriminator key. */
  readonly discriminators?: readonly string[] | undefined
  /** Line of the file. */
  readonly line?: number | undefined
}

export type ModelDefault =
  | { readonly value: unknown }
  | { readonly by: 'now' | 'function' | 'mongoose' }

export interface ModelDescription {
  /** Relative to the project, with `/`. */
  readonly file: string
  readonly export: ModelExport
  /** Name in Mongoose. */
  readonly model: string
  readonly collection: string
  readonly paths: readonly ModelPath[]
  /** Name of the field with the version; false without one. */
  readonly versionKey: string | false
  /** Names of the fields with the times of creation and of the last change. */
  readonly timestamps: { readonly createdAt?: string; readonly updatedAt?: string }
  /** Plugins of the framework. */
  readonly plugins: readonly string[]
  /** First fields of its indexes. */
  readonly indexes: readonly string[]
  readonly virtuals: readonly string[]
  readonly loose?: true | undefined
  readonly discriminator?:
    | { readonly key: string; readonly value?: string; readonly others: readonly string[] }
    | undefined
  /** Names of the models that loading its file defines. */
  readonly loaded: readonly string[]
  /** Operations with hooks of the application. */
  readonly hooks: readonly string[]
  /** Field that says that a document is deleted, if a plugin other than that of the framework keeps deleted documents. */
  readonly deletedMark?: string | undefined
}

// The generator wrote it.
export const modelDescription = z.custom<ModelDescription>(
  (value) => typeof value === 'object' && value !== null && 'file' in value && 'paths' in value,
)
