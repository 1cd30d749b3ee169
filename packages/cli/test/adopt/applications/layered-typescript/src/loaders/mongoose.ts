import mongoose from 'mongoose';

export const connect = (url: string, dbName?: string) => mongoose.connect(url, { dbName });
