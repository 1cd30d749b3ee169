// MongoDB's names of the error codes this package raises; any other code is named `Location<code>`.
const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  8: 'UnknownError',
  9: 'FailedToParse',
  11: 'UserNotFound',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  47: 'NoMatchParseContext',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  55: 'InvalidDBRef',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  96: 'OperationFailed',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  121: 'DocumentValidationFailure',
  136: 'CappedPositionLost',
  166: 'CommandNotSupportedOnView',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  206: 'NoSuchSession',
  225: 'TransactionTooOld',
  237: 'CursorKilled',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  257: 'TransactionTooLarge',
  260: 'InvalidResumeToken',
  263: 'OperationNotSupportedInTransaction',
  280: 'ChangeStreamFatalError',
  286: 'ChangeStreamHistoryLost',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  334: 'UnsupportedOpQueryCommand',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11602: 'InterruptedDueToReplStateChange',
  14031: 'OutOfDiskSpace',
  16979: 'Location16979',
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
