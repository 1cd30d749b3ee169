/** A kind of difference between two documents. */
export interface Rule {
  /** Whether a client written for the earlier document can fail with the later one. */
  readonly breaking: boolean
  /** The change, in a few words. */
  readonly meaning: string
}

const breaking = (meaning: string): Rule => ({ breaking: true, meaning })
const compatible = (meaning: string): Rule => ({ breaking: false, meaning })

/**
 * Every rule by its name. In names that begin with `input`, clients send the value; in names that
 * begin with `output`, they read it.
 */
export const rules = {
  'operation-removed': breaking('the operation was removed, without a sunset or before it'),
  'operation-sunset': compatible('the operation was removed after its sunset, `x-sunset`'),
  'operation-added': compatible('the operation is new'),
  'operation-renamed': breaking(
    'the operationId changed, which renames methods of generated clients',
  ),
  'operation-deprecated': compatible('the operation is now deprecated'),
  'sunset-earlier': breaking('the sunset of the operation is earlier'),
  'sunset-later': compatible('the sunset of the operation is later, or was removed'),
  'access-stricter': breaking('fewer callers may use the operation'),
  'access-looser': compatible('more callers may use the operation'),
  'parameter-removed': breaking('the parameter was removed; unknown parameters are rejected'),
  'parameter-added': compatible('an optional parameter is new'),
  'parameter-required': breaking('a parameter that was optional or unknown is now required'),
  'parameter-optional': compatible('a required parameter is now optional'),
  'body-removed': breaking('the operation no longer accepts a body'),
  'body-added': compatible('the operation now accepts an optional body'),
  'body-required': breaking('a body that was optional or unknown is now required'),
  'body-optional': compatible('a required body is now optional'),
  'media-type-removed': breaking('a media type of the request or response was removed'),
  'media-type-added': compatible('a media type is new'),
  'status-removed': breaking('a success status was removed'),
  'status-added': compatible('a status is new'),
  'error-status-removed': compatible('an error status was removed'),
  'header-removed': breaking('a response header was removed'),
  'header-added': compatible('a response header is new'),
  'input-property-removed': breaking('a property is no longer accepted'),
  'input-property-added': compatible('an optional property is new'),
  'input-property-required': breaking('a property that was optional or unknown is now required'),
  'input-property-optional': compatible('a required property is now optional'),
  'input-closed': breaking('unknown properties are now rejected'),
  'input-opened': compatible('unknown properties are now accepted'),
  'input-type-narrowed': breaking('values of a type are no longer accepted'),
  'input-type-widened': compatible('values of another type are now accepted'),
  'input-enum-narrowed': breaking('values are no longer accepted'),
  'input-enum-widened': compatible('more values are accepted'),
  'input-bound-tightened': breaking('a limit is stricter'),
  'input-bound-loosened': compatible('a limit is looser'),
  'input-format-narrowed': breaking('a format or pattern is new or changed'),
  'input-format-widened': compatible('a format or pattern was removed'),
  'output-property-removed': breaking('a property is no longer returned'),
  'output-property-added': compatible('a property is new'),
  'output-property-optional': breaking('a property that was always present can be absent'),
  'output-property-required': compatible('a property that could be absent is always present'),
  'output-type-widened': breaking('values of another type can be returned'),
  'output-type-narrowed': compatible('values of a type are no longer returned'),
  'output-enum-widened': breaking('more values can be returned'),
  'output-enum-narrowed': compatible('fewer values can be returned'),
  'output-format-widened': breaking('a format was changed or removed'),
  'output-format-narrowed': compatible('a format is new'),
  'schema-changed': breaking('a keyword changed whose effect cannot be compared'),
} as const satisfies Record<string, Rule>

/** Name of a rule in {@link rules}. */
export type RuleName = keyof typeof rules
