import {
  blank,
  comments,
  missing,
  noArticle,
  publish,
  refuse,
  register,
  type Step,
} from './steps.ts'

function feed(query: string, titles: string[], articlesCount: number): Step {
  const author = { username: 'bob_{run}', following: true }
  return {
    title: `read the feed ${query}`,
    send: `GET /articles/feed${query}`,
    as: 'ann',
    status: 200,
    shape: 'articles',
    matches: { articles: titles.map((title) => ({ title, author })), articlesCount },
  }
}

export const feeds: Step[] = [
  register('ann'),
  register('bob'),
  publish('bob', 'One'),
  publish('bob', 'Two'),
  publish('ann', 'My own'),
  feed('', [], 0),
  {
    title: 'follow',
    send: 'POST /profiles/bob_{run}/follow',
    as: 'ann',
    status: 200,
    shape: 'profile',
  },
  feed('', ['Two', 'One'], 2),
  feed('?limit=1', ['Two'], 2),
  feed('?limit=1&offset=1', ['One'], 2),
  {
    title: 'unfollow',
    send: 'DELETE /profiles/bob_{run}/follow',
    as: 'ann',
    status: 200,
    shape: 'profile',
  },
  feed('', [], 0),
]

function showFavorite(as: string | undefined, favorited: boolean, favoritesCount: number): Step {
  return {
    title: `shows ${as ?? 'anybody'} ${favoritesCount} favorites`,
    send: 'GET /articles/{slug}',
    ...(as !== undefined && { as }),
    status: 200,
    shape: 'article',
    matches: { article: { favorited, favoritesCount, updatedAt: '{updated}' } },
  }
}

function setFavorite(send: Step['send'], favorited: boolean, favoritesCount: number): Step {
  return {
    title: send,
    send,
    as: 'bob',
    status: 200,
    shape: 'article',
    matches: { article: { slug: '{slug}', favorited, favoritesCount } },
  }
}

export const favorites: Step[] = [
  register('ann'),
  register('bob'),
  publish('ann', 'A favorite'),
  {
    title: 'read it',
    send: 'GET /articles/{slug}',
    status: 200,
    shape: 'article',
    matches: { article: { favorited: false, favoritesCount: 0 } },
    save: { updated: 'article.updatedAt' },
  },
  setFavorite('POST /articles/{slug}/favorite', true, 1),
  setFavorite('POST /articles/{slug}/favorite', true, 1),
  showFavorite('bob', true, 1),
  showFavorite('ann', false, 1),
  showFavorite(undefined, false, 1),
  {
    title: 'list by a user who favors it',
    send: 'GET /articles?favorited=bob_{run}',
    as: 'bob',
    status: 200,
    shape: 'articles',
    matches: {
      articles: [{ slug: '{slug}', favorited: true, favoritesCount: 1 }],
      articlesCount: 1,
    },
  },
  setFavorite('DELETE /articles/{slug}/favorite', false, 0),
  setFavorite('DELETE /articles/{slug}/favorite', false, 0),
  showFavorite('bob', false, 0),
]

export const discussion: Step[] = [
  register('ann'),
  register('bob'),
  publish('ann', 'To be discussed'),
  {
    title: 'list no comments',
    send: 'GET /articles/{slug}/comments',
    status: 200,
    shape: 'comments',
    matches: { comments: [] },
  },
  comments('bob', 'First', 'first'),
  comments('ann', 'Second', 'second'),
  {
    title: 'list both to anybody',
    send: 'GET /articles/{slug}/comments',
    status: 200,
    shape: 'comments',
    matches: { comments: [{ id: '{second}' }, { id: '{first}', body: 'First' }] },
  },
  {
    title: 'delete one',
    send: 'DELETE /articles/{slug}/comments/{first}',
    as: 'bob',
    status: 204,
  },
  {
    title: 'keep the other',
    send: 'GET /articles/{slug}/comments',
    as: 'bob',
    status: 200,
    shape: 'comments',
    matches: { comments: [{ id: '{second}', author: { username: 'ann_{run}' } }] },
  },
]

const noComment = { comment: ['not found'] }

export const commentErrors: Step[] = [
  register('ann'),
  publish('ann', 'To be discussed'),
  refuse(401, missing, { send: 'POST /articles/none/comments', body: { comment: { body: 'B' } } }),
  refuse(401, missing, { send: 'DELETE /articles/none/comments/1' }),
  refuse(
    422,
    { body: blank },
    { send: 'POST /articles/{slug}/comments', as: 'ann', body: { comment: { body: '' } } },
  ),
  refuse(404, noArticle, {
    send: 'POST /articles/none/comments',
    as: 'ann',
    body: { comment: { body: 'B' } },
  }),
  refuse(404, noArticle, { send: 'GET /articles/none/comments' }),
  comments('ann', 'A comment', 'comment'),
  refuse(404, noArticle, { send: 'DELETE /articles/none/comments/{comment}', as: 'ann' }),
  refuse(404, noComment, { send: 'DELETE /articles/{slug}/comments/999999', as: 'ann' }),
  publish('ann', 'Another article', 'other'),
  refuse(404, noComment, { send: 'DELETE /articles/{other}/comments/{comment}', as: 'ann' }),
]

const noRight = { article: ['forbidden'] }

export const rights: Step[] = [
  register('ann'),
  register('bob'),
  publish('ann', 'Mine'),
  comments('ann', 'Mine, too', 'comment'),
  refuse(403, noRight, {
    send: 'PUT /articles/{slug}',
    as: 'bob',
    body: { article: { body: 'Not mine' } },
  }),
  refuse(403, noRight, { send: 'DELETE /articles/{slug}', as: 'bob' }),
  refuse(
    403,
    { comment: ['forbidden'] },
    { send: 'DELETE /articles/{slug}/comments/{comment}', as: 'bob' },
  ),
  {
    title: 'keep the article',
    send: 'GET /articles/{slug}',
    status: 200,
    shape: 'article',
    matches: { article: { title: 'Mine', body: 'At length' } },
  },
  {
    title: 'keep the comment',
    send: 'GET /articles/{slug}/comments',
    status: 200,
    shape: 'comments',
    matches: { comments: [{ id: '{comment}' }] },
  },
]
