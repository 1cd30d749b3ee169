import { type Response } from 'express'
import { type core } from 'zod'

/**
 * The values that are sent as the data of a response: `T`, the output of its schema, or a document that has its
 * fields. Dates, ids and decimals of the database are sent as text, `id` may be `_id`, a record of any names may be a
 * `Map`, and null in an optional field is left out. Other fields of a document are allowed; they are not sent. Text is
 * not compared with the values of an enum, and JSON of any form (`z.json()`) is not checked. TypeScript does not accept an
 * `interface` as a record of any names: copy the value, `{ ...counts }`, or declare its type by `type`.
 */
export type Sendable<T> = [unknown] extends [T]
  ? unknown
  : [core.util.JSONType] extends [T]
    ? unknown
    : [T] extends [never]
      ? unknown
      : T extends string
        ? SendableText
        : T extends number
          ? number
          : T extends boolean
            ? boolean
            : T extends bigint
              ? SendableInteger
              : T extends Date
                ? Date | string
                : T extends undefined
                  ? undefined | null
                  : T extends null
                    ? null
                    : T extends readonly [unknown, ...unknown[]]
                      ? { readonly [K in keyof T]: Sendable<T[K]> }
                      : T extends readonly (infer Item)[]
                        ? SendableList<Item>
                        : T extends object
                          ? SendableObject<T>
                          : T

// A value of the database driver, such as an ObjectId or a Decimal128.
interface DatabaseValue {
  readonly _bsontype: string
}

// The compiler names these in its messages.
type SendableText = string | Date | bigint | DatabaseValue
type SendableInteger = bigint | number | DatabaseValue
type SendableFields<T> = {
  readonly [K in keyof T as Exclude<KnownKey<K>, 'id'>]: Sendable<T[K]>
}

// An array, compared by its items alone: the messages then name the item. Texts and buffers have no flatMap.
interface SendableList<Item> {
  readonly [index: number]: Sendable<Item>
  readonly length: number
  readonly flatMap: unknown
}

type SendableObject<T> = [KnownKey<keyof T>] extends [never]
  ? string extends keyof T
    ? SendableRecord<T[keyof T]>
    : object
  : T extends { id: infer Id }
    ? SendableFields<T> & SendableId<Sendable<Id>>
    : SendableFields<T>

type SendableId<Id> = { readonly id: Id } | { readonly _id: Id }

type SendableRecord<Value> = unknown extends Value
  ? object
  : [Value] extends [never]
    ? object
    : Readonly<Record<string, Sendable<Value>>> | ReadonlyMap<string, Sendable<Value>>

// Without the keys of an index signature, which an object that allows other fields has.
type KnownKey<K> = K extends unknown
  ? string extends K
    ? never
    : number extends K
      ? never
      : symbol extends K
        ? never
        : K
  : never

/**
 * The response of a route, whose data {@link success} checks: `Data` is the output of the schema `response`. A handler in
 * another file declares it, `res: ApiResponse<z.output<typeof post>>`, and `createRouter` compares it with the route.
 * Without `Data` the response is empty. The data of an Express `Response` is not checked by the compiler.
 */
export interface ApiResponse<Data = undefined> extends Response {
  /** Exists in the types only: the data that the route sends. */
  readonly sends?: ((data: Data) => void) | undefined
}

// The arguments of `success` after the response.
export type Sent<Res> = Res extends ApiResponse<infer Data> ? SentData<Data> : never

type SentData<Data> = unknown extends Data
  ? [data?: unknown, meta?: unknown]
  : [Data] extends [undefined]
    ? [data?: undefined]
    : undefined extends Data
      ? [data?: Sendable<Data>, meta?: object]
      : [data: Sendable<Data>, meta?: object]
