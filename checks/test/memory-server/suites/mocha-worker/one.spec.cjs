const assert = require('node:assert/strict')

describe('books', () => {
  for (const n of [1, 2, 3]) {
    it(`counts from zero, ${n}`, async function () {
      const books = this.db.collection('books')
      await books.insertMany([{ n }, { n: n + 1 }])
      assert.equal(await books.countDocuments(), 2)
    })
  }
})
