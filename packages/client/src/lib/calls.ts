import { type ClientFailure, Failure } from './failure.ts'

/** The result of a call with `safe()`: its data, or its failure. */
export type Result<Data, Fail> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: Fail | ClientFailure }

/** A call: a promise of its data, which rejects with a {@link Failure}. */
export interface Call<Data, Fail = Failure> extends Promise<Data> {
  /** Resolves in both cases, to compare `error.code` with the codes that the API documents. */
  safe(): Promise<Result<Data, Fail>>
}

// Makes a call of a promise.
export function toCall<Data, Fail>(promise: Promise<Data>): Call<Data, Fail> {
  return Object.assign(promise, {
    safe: (): Promise<Result<Data, Fail>> =>
      promise.then(
        (data) => ({ ok: true, data }) as const,
        (error: unknown) => {
          // Anything else is a fault of the program.
          if (!(error instanceof Failure)) throw error
          return { ok: false, error: error as Fail | ClientFailure } as const
        },
      ),
  })
}
