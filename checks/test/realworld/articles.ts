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

export const articles: Step[] = [
  register('ann'),
  publish('ann', 'How to train your dragon', 'slug', ['zest_{run}', 'ape_{run}']),
  {
    title: 'read it',
    send: 'GET /articles/{slug}',
    status: 200,
    shape: 'article',
    matches: {
      article: {
        slug: '{slug}',
        title: 'How to train your dragon',
        body: 'At length',
        tagList: ['ape_{run}', 'zest_{run}'],
        favorited: false,
        favoritesCount: 0,
        author: { username: 'ann_{run}', following: false },
      },
    },
    save: { created: 'article.createdAt', updated: 'article.updatedAt' },
  },
  ...['', '?limit=100'].map((query): Step => ({
    title: `list the articles ${query}`,
    send: `GET /articles${query}`,
    status: 200,
    shape: 'articles',
  })),
  ...['author=ann_{run}', 'tag=ape_{run}', 'author=ann_{run}&tag=zest_{run}'].map(
    (query): Step => ({
      title: `list by ${query}`,
      send: `GET /articles?${query}`,
      status: 200,
      shape: 'articles',
      matches: { articles: [{ slug: '{slug}' }], articlesCount: 1 },
    }),
  ),
  ...['author=nobody_{run}', 'tag=none_{run}', 'favorited=ann_{run}', 'favorited=nobody'].map(
    (query): Step => ({
      title: `list by ${query}`,
      send: `GET /articles?${query}`,
      status: 200,
      shape: 'articles',
      matches: { articles: [], articlesCount: 0 },
    }),
  ),
  {
    title: 'list the tags',
    send: 'GET /tags',
    status: 200,
    shape: 'tags',
    contains: { tags: 'zest_{run}' },
  },
  {
    title: 'change the body, which keeps slug, title and tags',
    send: 'PUT /articles/{slug}',
    as: 'ann',
    body: { article: { body: 'At greater length' } },
    status: 200,
    shape: 'article',
    matches: {
      article: {
        slug: '{slug}',
        title: 'How to train your dragon',
        body: 'At greater length',
        tagList: ['ape_{run}', 'zest_{run}'],
        createdAt: '{created}',
      },
    },
    differs: { 'article.updatedAt': '{updated}' },
  },
  {
    title: 'replace the tags',
    send: 'PUT /articles/{slug}',
    as: 'ann',
    body: { article: { tagList: ['other_{run}'] } },
    status: 200,
    shape: 'article',
    matches: { article: { body: 'At greater length', tagList: ['other_{run}'] } },
  },
  {
    title: 'remove the tags',
    send: 'PUT /articles/{slug}',
    as: 'ann',
    body: { article: { tagList: [] } },
    status: 200,
    shape: 'article',
    matches: { article: { tagList: [] } },
  },
  refuse(422, undefined, {
    send: 'PUT /articles/{slug}',
    as: 'ann',
    body: { article: { tagList: null } },
  }),
  comments('ann', 'Here to stay', 'comment'),
  {
    title: 'change the title, and so the slug',
    send: 'PUT /articles/{slug}',
    as: 'ann',
    body: { article: { title: 'Did you train it?' } },
    status: 200,
    shape: 'article',
    matches: { article: { title: 'Did you train it?', createdAt: '{created}' } },
    differs: { 'article.slug': '{slug}' },
    save: { renamed: 'article.slug' },
  },
  refuse(404, { article: ['not found'] }, { send: 'GET /articles/{slug}' }),
  {
    title: 'keep the comments of the article',
    send: 'GET /articles/{renamed}/comments',
    status: 200,
    shape: 'comments',
    matches: { comments: [{ id: '{comment}', body: 'Here to stay' }] },
  },
  {
    title: 'delete it',
    send: 'DELETE /articles/{renamed}',
    as: 'ann',
    status: 204,
  },
  refuse(404, { article: ['not found'] }, { send: 'GET /articles/{renamed}' }),
]

function refuseArticle(changes: object): Step {
  const article = { title: 'T', description: 'D', body: 'B', ...changes }
  const errors = Object.fromEntries(Object.keys(changes).map((name) => [name, blank]))
  return refuse(422, errors, { send: 'POST /articles', as: 'ann', body: { article } })
}

export const articleErrors: Step[] = [
  register('ann'),
  refuse(401, missing, {
    send: 'POST /articles',
    body: { article: { title: 'T', description: 'D', body: 'B' } },
  }),
  refuse(401, missing, { send: 'PUT /articles/none', body: { article: { body: 'B' } } }),
  refuse(401, missing, { send: 'DELETE /articles/none' }),
  refuse(401, missing, { send: 'GET /articles/feed' }),
  refuse(401, missing, { send: 'POST /articles/none/favorite' }),
  refuse(401, missing, { send: 'DELETE /articles/none/favorite' }),
  refuseArticle({ title: '' }),
  refuseArticle({ description: '' }),
  refuseArticle({ body: '' }),
  publish('ann', 'The same title', 'first'),
  {
    title: 'publish the same title with another slug',
    send: 'POST /articles',
    as: 'ann',
    body: { article: { title: 'The same title', description: 'D', body: 'B' } },
    status: 201,
    shape: 'article',
    differs: { 'article.slug': '{first}' },
  },
  refuse(404, noArticle, { send: 'GET /articles/none' }),
  refuse(404, noArticle, {
    send: 'PUT /articles/none',
    as: 'ann',
    body: { article: { body: 'B' } },
  }),
  refuse(404, noArticle, { send: 'DELETE /articles/none', as: 'ann' }),
  refuse(404, noArticle, { send: 'POST /articles/none/favorite', as: 'ann' }),
  refuse(404, noArticle, { send: 'DELETE /articles/none/favorite', as: 'ann' }),
  refuse(422, undefined, { send: 'GET /articles?limit=0' }),
  refuse(422, undefined, { send: 'GET /articles?offset=-1' }),
]

function listPage(query: string, titles: string[]): Step {
  return {
    title: `list ${query}`,
    send: `GET /articles?author=ann_{run}${query}`,
    status: 200,
    shape: 'articles',
    matches: { articles: titles.map((title) => ({ title })), articlesCount: 3 },
  }
}

export const pages: Step[] = [
  register('ann'),
  ...['One', 'Two', 'Three'].map((title) => publish('ann', title)),
  listPage('', ['Three', 'Two', 'One']),
  listPage('&limit=2', ['Three', 'Two']),
  listPage('&limit=2&offset=2', ['One']),
  listPage('&limit=1&offset=1', ['Two']),
  listPage('&offset=3', []),
]
