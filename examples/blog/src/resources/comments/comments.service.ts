import {
  findPage,
  type IfMatch,
  type Page,
  rejectMiss,
  requireFound,
  requireReferences,
  toMergePatch,
  toReplacement,
} from '@create-api/core'
import { type Comment, CommentModel } from './comments.model.js'
import {
  type CreateComment,
  type ListComments,
  type PatchComment,
  replaceComment,
  type ReplaceComment,
} from './comments.validation.js'

export function list(query: ListComments): Promise<Page<Comment>> {
  return findPage(CommentModel, {}, query)
}

export async function get(id: string): Promise<Comment> {
  return requireFound(await CommentModel.findById(id).lean())
}

export async function create(input: CreateComment): Promise<Comment> {
  await requireReferences(CommentModel, input)
  const comment = await CommentModel.create(input)
  return comment.toObject()
}

export async function replace(id: string, input: ReplaceComment, match: IfMatch): Promise<Comment> {
  await requireReferences(CommentModel, input)
  const changes = toReplacement(replaceComment, input)
  const comment = await CommentModel.findOneAndUpdate({ _id: id, ...match }, changes, {
    returnDocument: 'after',
  }).lean()
  return comment ?? rejectMiss(CommentModel, { _id: id }, match)
}

export async function patch(id: string, input: PatchComment, match: IfMatch): Promise<Comment> {
  await requireReferences(CommentModel, input)
  const changes = toMergePatch(input)
  const comment = await CommentModel.findOneAndUpdate({ _id: id, ...match }, changes, {
    returnDocument: 'after',
  }).lean()
  return comment ?? rejectMiss(CommentModel, { _id: id }, match)
}

export async function remove(id: string, match: IfMatch): Promise<void> {
  const comment = await CommentModel.findOneAndDelete({ _id: id, ...match }).lean()
  if (!comment) await rejectMiss(CommentModel, { _id: id }, match)
}
