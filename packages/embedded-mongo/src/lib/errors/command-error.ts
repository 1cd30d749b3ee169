// MongoDB's names of the error codes this package raises; any other code is named `Location<code>`.
const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  112: 'WriteConflict',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  225: 'TransactionTooOld',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  260: 'InvalidResumeToken',
  263: 'OperationNotSupportedInTransaction',
  286: 'ChangeStreamHistoryLost',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
}

/** What an error reply carries besides code and message. */
export interface CommandErrorExtra {
  /**
   * Error labels such as `TransientTransactionError`.
   * @default none
   */
  labels?: string[] | undefined
  /**
   * Fields copied into the reply, such as `keyPattern` and `keyValue` of a duplicate key.
   * @default none
   */
  details?: Record<string, unknown> | undefined
  /**
   * What caused this error.
   * @default none
   */
  cause?: unknown
}

/** An error a client receives with MongoDB's own code, name and fields. */
export class CommandError extends Error {
  readonly code: number
  readonly codeName: string
  readonly labels: string[] | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(code: number, message: string, extra: CommandErrorExtra = {}) {
    super(message, { cause: extra.cause })
    this.name = 'CommandError'
    this.code = code
    this.codeName = codeNames[code] ?? `Location${code}`
    this.labels = extra.labels
    this.details = extra.details
  }
}

/**
 * Makes the error for a feature of MongoDB that the embedded database lacks (code 238).
 * @param feature - The operator, stage, command or option, as the client wrote it.
 * @returns The error to throw; it names the feature and the cure.
 */
export function notImplemented(feature: string): CommandError {
  return new CommandError(
    238,
    `${feature} is not supported by the embedded database. ` +
      'Point MONGODB_URI at a MongoDB server that has it.',
  )
}
