// MongoDB's names of the error codes this package raises, also for fail points; any other code is named `Location<code>`.
const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  4: 'NoSuchKey',
  6: 'HostUnreachable',
  7: 'HostNotFound',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  24: 'LockTimeout',
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
  63: 'StaleShardVersion',
  64: 'WriteConcernFailed',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  89: 'NetworkTimeout',
  91: 'ShutdownInProgress',
  96: 'FailPointSetFailed',
  100: 'UnsatisfiableWriteConcern',
  112: 'WriteConflict',
  117: 'ConflictingOperationInProgress',
  121: 'DocumentValidationFailure',
  133: 'FailedToSatisfyReadPreference',
  134: 'ReadConcernMajorityNotAvailableYet',
  150: 'StaleEpoch',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  181: 'AmbiguousIndexKeyPattern',
  189: 'PrimarySteppedDown',
  197: 'InvalidIndexSpecificationOption',
  201: 'CannotBuildIndexKeys',
  211: 'KeyNotFound',
  224: 'QueryFeatureNotAllowed',
  225: 'TransactionTooOld',
  234: 'RetryChangeStream',
  238: 'NotImplemented',
  239: 'SnapshotTooOld',
  241: 'ConversionFailure',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  260: 'InvalidResumeToken',
  262: 'ExceededTimeLimit',
  263: 'OperationNotSupportedInTransaction',
  267: 'PreparedTransactionInProgress',
  280: 'ChangeStreamFatalError',
  286: 'ChangeStreamHistoryLost',
  291: 'NoQueryExecutionPlans',
  322: 'APIVersionError',
  323: 'APIStrictError',
  359: 'CannotConvertIndexToUnique',
  9001: 'SocketException',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  11602: 'InterruptedDueToReplStateChange',
  13113: 'MergeStageNoMatchingDocument',
  13388: 'StaleConfig',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
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
    this.codeName = codeNameOf(code)
    this.labels = extra.labels
    this.details = extra.details
  }
}

export function codeNameOf(code: number): string {
  return codeNames[code] ?? `Location${code}`
}

// Features that other MongoDB servers lack too.
const ATLAS = /(?:Search|search)/

export function notImplemented(feature: string): CommandError {
  const where = ATLAS.test(feature) ? 'MongoDB Atlas, which' : 'a MongoDB server that'
  return new CommandError(
    238,
    `${feature} is not supported by the embedded database. ` +
      `Point MONGODB_URI at ${where} has it.`,
  )
}
