import mongoose, { type Model } from 'mongoose'

// Whom documents of a feature belong to.
export type Holder = { readonly user: string } | { readonly organization: string }

/** What ends the documents: `reclaimed` is an account whose address another person may have registered. */
export type Ending = 'disabled' | 'reclaimed' | 'removed'

type End = (holder: Holder, ending: Ending) => Promise<unknown>

const ends = new WeakMap<object, End>()

// A feature declares with it how its documents of a user or an organization end.
export function setEnd<T>(model: Model<T>, end: End): void {
  ends.set(model, end)
}

export async function endHoldings(holder: Holder, ending: Ending): Promise<void> {
  const models = mongoose.connections
    .filter(({ readyState }) => readyState === mongoose.ConnectionStates.connected)
    .flatMap((connection) => Object.values(connection.models))
  for (const model of models) await ends.get(model)?.(holder, ending)
}
