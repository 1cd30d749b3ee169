// MongoDB's error codes by name: those of the errors that this package raises, and of fail points.
const codes = {
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  HostUnreachable: 6,
  HostNotFound: 7,
  FailedToParse: 9,
  CannotMutateObject: 10,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  InvalidBSON: 22,
  LockTimeout: 24,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NoMatchingDocument: 47,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  StaleShardVersion: 63,
  WriteConcernFailed: 64,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  UnknownReplWriteConcern: 79,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  UnsatisfiableWriteConcern: 100,
  WriteConflict: 112,
  ConflictingOperationInProgress: 117,
  DocumentValidationFailure: 121,
  CommandFailed: 125,
  FailedToSatisfyReadPreference: 133,
  ReadConcernMajorityNotAvailableYet: 134,
  ExceededMemoryLimit: 146,
  StaleEpoch: 150,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  AmbiguousIndexKeyPattern: 181,
  PrimarySteppedDown: 189,
  InvalidIndexSpecificationOption: 197,
  CannotBuildIndexKeys: 201,
  KeyNotFound: 211,
  QueryFeatureNotAllowed: 224,
  TransactionTooOld: 225,
  RetryChangeStream: 234,
  NotImplemented: 238,
  SnapshotTooOld: 239,
  ConversionFailure: 241,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  InvalidResumeToken: 260,
  ExceededTimeLimit: 262,
  OperationNotSupportedInTransaction: 263,
  PreparedTransactionInProgress: 267,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  NoQueryExecutionPlans: 291,
  APIVersionError: 322,
  APIStrictError: 323,
  CannotConvertIndexToUnique: 359,
  SocketException: 9001,
  NotWritablePrimary: 10107,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  InterruptedDueToReplStateChange: 11602,
  MergeStageNoMatchingDocument: 13113,
  StaleConfig: 13388,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  OutOfDiskSpace: 14031,
  SearchNotEnabled: 31082,
} as const

// An error that has no name is named after its code, as by MongoDB: `Location40324`.
export type ErrorName = keyof typeof codes | `Location${number}`

interface CommandErrorExtra {
  labels?: string[] | undefined
  // Fields copied into the reply, such as `keyPattern` and `keyValue` of a duplicate key.
  details?: Record<string, unknown> | undefined
  cause?: unknown
}

// An error with MongoDB's code, name and fields, sent to the client.
export class CommandError extends Error {
  readonly code: number
  readonly codeName: ErrorName
  readonly labels: string[] | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(name: ErrorName, message: string, extra: CommandErrorExtra = {}) {
    super(message, { cause: extra.cause })
    this.name = 'CommandError'
    this.code = isNamed(name) ? codes[name] : Number(name.slice('Location'.length))
    this.codeName = name
    this.labels = extra.labels
    this.details = extra.details
  }
}

export function errorNameOf(code: number): ErrorName {
  const names = Object.keys(codes).filter(isNamed)
  return names.find((name) => codes[name] === code) ?? `Location${code}`
}

function isNamed(name: string): name is keyof typeof codes {
  return Object.hasOwn(codes, name)
}

// Features of MongoDB Atlas. Other servers refuse them, too, and tools recognize the error.
const atlas = /(?:\$|command )\w*[Ss]earch/

export function notImplemented(feature: string): CommandError {
  const [name, where] = atlas.test(feature)
    ? (['SearchNotEnabled', 'MongoDB Atlas, which'] as const)
    : (['NotImplemented', 'a MongoDB server that'] as const)
  return new CommandError(
    name,
    `${feature} is not supported by the embedded database. ` +
      `Point MONGODB_URI at ${where} has it.`,
  )
}
