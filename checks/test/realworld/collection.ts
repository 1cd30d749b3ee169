import { articleErrors, articles, pages } from './articles.ts'
import { commentErrors, discussion, favorites, feeds, rights } from './readers.ts'
import { type Step } from './steps.ts'
import { profileErrors, profiles, userErrors, users } from './users.ts'

// The public contract of the RealWorld project as requests in order, written for these tests after its specification,
// its OpenAPI document and the behaviour that its own collection expects (github.com/realworld-apps/realworld).
export const collection: Readonly<Record<string, readonly Step[]>> = {
  users,
  'errors of users': userErrors,
  profiles,
  'errors of profiles': profileErrors,
  articles,
  'errors of articles': articleErrors,
  'pages of articles': pages,
  'the feed': feeds,
  favorites,
  comments: discussion,
  'errors of comments': commentErrors,
  'what belongs to others': rights,
}
