// MongoDB's names of the error codes this package raises; any other code is named `Location<code>`.
const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  4: 'NoSuchKey',
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
  47: 'NoMatchingDocument',
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
  121: 'DocumentValidationFailure',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  201: 'CannotBuildIndexKeys',
  225: 'TransactionTooOld',
  238: 'NotImplemented',
  239: 'SnapshotTooOld',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  260: 'InvalidResumeToken',
  263: 'OperationNotSupportedInTransaction',
  280: 'ChangeStreamFatalError',
  286: 'ChangeStreamHistoryLost',
  291: 'NoQueryExecutionPlans',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
}

interface CommandErrorExtra {
  labels?: string[] | undefined
  // Fields copied into the reply, such as `keyPattern` and `keyValue` of a duplicate key.
  details?: Record<string, unknown> | undefined
  cause?: unknown
}

// An error with MongoDB's code, name and fields, sent to the client.
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

export function notImplemented(feature: string): CommandError {
  return new CommandError(
    238,
    `${feature} is not supported by the embedded database. ` +
      'Point MONGODB_URI at a MongoDB server that has it.',
  )
}
