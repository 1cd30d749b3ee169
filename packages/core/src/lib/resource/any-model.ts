import { type Model } from 'mongoose'

/** A Mongoose model of documents `T`, whatever its methods, virtuals and hooks. */
// oxlint-disable-next-line typescript/no-explicit-any -- the parameters of Model are invariant
export type AnyModel<T> = Model<T, {}, any, any, any, any, any>
