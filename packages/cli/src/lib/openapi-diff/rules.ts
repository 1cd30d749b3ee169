/** What a difference between two documents can be. */
export interface Rule {
  /** Whether a client written for the first document can fail with the second. */
  readonly breaking: boolean
  readonly meaning: string
}

const breaking = (meaning: string): Rule => ({ breaking: true, meaning })
const compatible = (meaning: string): Rule => ({ breaking: false, meaning })

/** Every kind of difference; "input" is what clients send, "output" what they read. */
export const rules = {
  'operation-removed': breaking('an operation is gone'),
  'operation-added': compatible('an operation is new'),
  'operation-renamed': breaking('an operationId is another, so methods of generated clients are'),
  'operation-deprecated': compatible('an operation is deprecated'),
  'access-stricter': breaking('fewer callers may call an operation'),
  'access-looser': compatible('more callers may call an operation'),
  'parameter-removed': breaking('a parameter is gone: unknown ones are refused'),
  'parameter-added': compatible('an optional parameter is new'),
  'parameter-required': breaking('a parameter must be sent that was optional or unknown'),
  'parameter-optional': compatible('a parameter need not be sent any more'),
  'body-removed': breaking('an operation takes no body any more'),
  'body-added': compatible('an operation takes a body, which is optional'),
  'body-required': breaking('a body must be sent that was optional or unknown'),
  'body-optional': compatible('a body need not be sent any more'),
  'media-type-removed': breaking('a media type is not taken or not answered any more'),
  'media-type-added': compatible('a media type is new'),
  'status-removed': breaking('a status of success is gone'),
  'status-added': compatible('a status is new'),
  'error-status-removed': compatible('a status of failure is gone'),
  'header-removed': breaking('a header of an answer is gone'),
  'header-added': compatible('a header of an answer is new'),
  'input-property-removed': breaking('a property is refused that was taken'),
  'input-property-added': compatible('an optional property is new'),
  'input-property-required': breaking('a property must be sent that was optional or unknown'),
  'input-property-optional': compatible('a property need not be sent any more'),
  'input-closed': breaking('unknown properties are refused that were taken'),
  'input-opened': compatible('unknown properties are taken'),
  'input-type-narrowed': breaking('values of a type are refused that were taken'),
  'input-type-widened': compatible('values of another type are taken'),
  'input-enum-narrowed': breaking('values are refused that were taken'),
  'input-enum-widened': compatible('more values are taken'),
  'input-bound-tightened': breaking('a bound is narrower'),
  'input-bound-loosened': compatible('a bound is wider'),
  'input-format-narrowed': breaking('a format or pattern is asked for, or another one'),
  'input-format-widened': compatible('a format or pattern is not asked for any more'),
  'output-property-removed': breaking('a property is not answered any more'),
  'output-property-added': compatible('a property is new'),
  'output-property-optional': breaking('a property can be absent that was always there'),
  'output-property-required': compatible('a property is always there that could be absent'),
  'output-type-widened': breaking('values of another type are answered'),
  'output-type-narrowed': compatible('values of a type are not answered any more'),
  'output-enum-widened': breaking('more values are answered'),
  'output-enum-narrowed': compatible('fewer values are answered'),
  'output-format-widened': breaking('a format is another, or not promised any more'),
  'output-format-narrowed': compatible('a format is promised'),
  'schema-changed': breaking('a part of a schema is another, and cannot be judged'),
} as const satisfies Record<string, Rule>

/** Name of a rule. */
export type RuleName = keyof typeof rules
