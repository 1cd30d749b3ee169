import 'dotenv/config'
import mongoose from 'mongoose'
import { app } from './app.js'

await mongoose.connect(process.env.MONGO_URL)
const { PORT } = process.env
app.listen(PORT, () => console.log(`bookshelf serves http://localhost:${PORT}`))
