module.exports = () => globalThis.__MONGO_INSTANCE__.stop()
