import 'dotenv/config'
import mongoose from 'mongoose'
import { app } from './app.js'

await mongoose.connect(process.env.MONGO_URL)
app.listen(process.env.PORT, () => console.log(`listening on ${process.env.PORT}`))
