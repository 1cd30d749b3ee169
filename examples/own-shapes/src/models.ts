import { model, Schema } from 'mongoose'

const options = { timestamps: true } as const

export interface Article {
  slug: string
  title: string
  description: string
  body: string
  tagList: string[]
  author: string
  favoritedBy: string[]
  createdAt: Date
  updatedAt: Date
}

/** Each version adds what it needs to the schemas. */
export const articleSchema = new Schema<Article>(
  {
    slug: { type: String, required: true, unique: true },
    title: { type: String, required: true },
    description: { type: String, required: true },
    body: { type: String, required: true },
    tagList: { type: [String], index: true },
    author: { type: String, required: true, index: true },
    favoritedBy: { type: [String], index: true },
  },
  options,
)

export interface Comment {
  _id: number
  /** Id of the article: its slug changes with the title. */
  article: string
  author: string
  body: string
  createdAt: Date
  updatedAt: Date
}

export const commentSchema = new Schema<Comment>(
  {
    _id: { type: Number, required: true },
    article: { type: String, required: true, index: true },
    author: { type: String, required: true },
    body: { type: String, required: true },
  },
  options,
)

export interface Follow {
  follower: string
  followed: string
}

export const FollowModel = model<Follow>(
  'Follow',
  new Schema<Follow>({
    follower: { type: String, required: true },
    followed: { type: String, required: true },
  }).index({ follower: 1, followed: 1 }, { unique: true }),
)
