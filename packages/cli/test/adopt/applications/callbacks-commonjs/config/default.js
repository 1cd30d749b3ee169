module.exports = {
  port: process.env.PORT || 3000,
  session: process.env.SESSION_SECRET || 'guestbook',
  db: {
    url: process.env.MONGO_URL || 'mongodb://127.0.0.1/guestbook'
  }
};
