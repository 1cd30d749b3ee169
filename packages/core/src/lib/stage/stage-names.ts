// The stages of the pipeline in the order in which they run.
export const stageNames = [
  'requestId',
  'accessLog',
  'metrics',
  'inFlight',
  'securityHeaders',
  'drain',
  'framing',
  'cors',
  'health',
  'overload',
  'rateLimit',
  'authentication',
  'routes',
] as const

/** A stage of the pipeline of `createApi`, in this order. A place exists also if its stage is off. */
export type StageName = (typeof stageNames)[number]
