import { isObjectIdOrHexString, trusted, Types } from 'mongoose'
import { type AnyModel } from '../resource/model.ts'

export type Filter = Readonly<Record<string, unknown>>

// The forms in which documents contain the id of a user.
export function toUserIds(userId: string): unknown[] {
  return [userId, ...(isObjectIdOrHexString(userId) ? [new Types.ObjectId(userId)] : [])]
}

// The documents with the id of a user in a field; undefined if the field cannot contain such an id.
export function ofUser(model: AnyModel<unknown>, path: string, userId: string): Filter | undefined {
  const type = model.schema.path(path)
  const item = type?.getEmbeddedSchemaType() ?? type
  const isObjectId = item?.instance === 'ObjectId'
  if (isObjectId && !isObjectIdOrHexString(userId)) return undefined
  return { [path]: isObjectId ? new Types.ObjectId(userId) : trusted({ $eq: userId }) }
}
