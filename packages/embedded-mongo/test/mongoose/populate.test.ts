// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

async function library() {
  const Author = connection.model('Author', new Schema({ name: String, age: Number }))
  const schema = new Schema({
    title: String,
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
    fans: [{ type: Schema.Types.ObjectId, ref: 'Author' }],
    reviews: [{ by: { type: Schema.Types.ObjectId, ref: 'Author' }, stars: Number }],
  })
  const Book = connection.model('Book', schema)
  const [ann, bob] = await Author.create([
    { name: 'Ann', age: 30 },
    { name: 'Bob', age: 20 },
  ])
  if (!ann || !bob) throw new Error('not created')
  const book = await Book.create({
    title: 'One',
    author: ann._id,
    fans: [bob._id, ann._id],
    reviews: [{ by: bob._id, stars: 5 }],
  })
  return { Author, Book, ann, bob, book }
}

describe('mongoose populate', () => {
  it('fills in a reference', async () => {
    const { Book } = await library()
    const book = await Book.findOne().populate<{ author: { name: string } }>('author').orFail()
    expect(book.author.name).toBe('Ann')
  })

  it('fills in an array in its own order', async () => {
    const { Book } = await library()
    const book = await Book.findOne().populate<{ fans: { name: string }[] }>('fans').orFail()
    expect(book.fans.map(({ name }) => name)).toEqual(['Bob', 'Ann'])
  })

  it('fills in references inside subdocuments', async () => {
    const { Book } = await library()
    const book = await Book.findOne().populate('reviews.by').lean()
    expect(book?.reviews[0]?.by).toMatchObject({ name: 'Bob' })
  })

  it('selects fields', async () => {
    const { Book, ann } = await library()
    const book = await Book.findOne().populate('author', 'name').lean()
    expect(book?.author).toEqual({ _id: ann._id, name: 'Ann' })
  })

  it('matches, sorts and limits', async () => {
    const { Book } = await library()
    const book = await Book.findOne()
      .populate({ path: 'fans', match: { age: { $gt: 25 } } })
      .lean()
    expect(book?.fans).toMatchObject([{ name: 'Ann' }])
    const sorted = await Book.findOne()
      .populate({ path: 'fans', options: { sort: { name: 1 }, limit: 1 } })
      .lean()
    expect(sorted?.fans).toMatchObject([{ name: 'Ann' }])
  })

  it('returns null for a dangling reference', async () => {
    const { Book, book } = await library()
    await Book.updateOne({ _id: book._id }, { author: new Types.ObjectId() })
    expect((await Book.findOne().populate('author').orFail()).author).toBeNull()
  })

  it('populates a loaded document, and depopulates it', async () => {
    const { book, ann } = await library()
    await book.populate('author')
    expect(book.populated('author')).toEqual(ann._id)
    book.depopulate('author')
    expect(book.author).toEqual(ann._id)
  })

  it('populates many documents at once', async () => {
    const { Book, bob } = await library()
    await Book.create({ title: 'Two', author: bob._id })
    const books = await Book.find().sort('title').populate<{ author: { name: string } }>('author')
    expect(books.map(({ author }) => author.name)).toEqual(['Ann', 'Bob'])
  })

  it('populates across levels', async () => {
    const { Book, book } = await library()
    const Shelf = connection.model(
      'Shelf',
      new Schema({ books: [{ type: Schema.Types.ObjectId, ref: 'Book' }] }),
    )
    await Shelf.create({ books: [book._id] })
    const shelf = await Shelf.findOne()
      .populate({ path: 'books', populate: { path: 'author' } })
      .lean()
    expect(shelf?.books[0]).toMatchObject({ title: 'One', author: { name: 'Ann' } })
    expect(await Book.countDocuments()).toBe(1)
  })

  it('populates virtuals, counted or listed', async () => {
    const { Book, ann } = await library()
    const schema = new Schema({ name: String }, { collection: 'authors' })
    schema.virtual('books', { ref: 'Book', localField: '_id', foreignField: 'author' })
    schema.virtual('count', { ref: 'Book', localField: '_id', foreignField: 'author', count: true })
    const Writer = connection.model('Writer', schema)
    await Book.create({ title: 'Two', author: ann._id })
    const writer = await Writer.findById(ann._id).populate('books').populate('count').orFail()
    expect(writer.get('books')).toHaveLength(2)
    expect(writer.get('count')).toBe(2)
  })

  it('follows refPath', async () => {
    const { ann, book } = await library()
    const schema = new Schema({
      kind: String,
      on: { type: Schema.Types.ObjectId, refPath: 'kind' },
    })
    const Like = connection.model('Like', schema)
    await Like.create([
      { kind: 'Author', on: ann._id },
      { kind: 'Book', on: book._id },
    ])
    const likes = await Like.find().sort('kind').populate('on').lean()
    expect(likes.map(({ on }) => on)).toMatchObject([{ name: 'Ann' }, { title: 'One' }])
  })

  it('keeps only the id when it is saved', async () => {
    const { Book, book, bob } = await library()
    book.author = bob._id
    await book.save()
    expect(await Book.findById(book._id).lean()).toMatchObject({ author: bob._id })
  })
})
