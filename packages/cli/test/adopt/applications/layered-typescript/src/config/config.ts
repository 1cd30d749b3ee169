import dotenv from 'dotenv';

dotenv.config();

export const config = {
  port: Number(process.env.PORT ?? 3000),
  mongoose: { url: process.env.MONGODB_URL ?? 'mongodb://127.0.0.1/tasks' },
  jwt: { secret: process.env.JWT_SECRET ?? 'not-very-long', expiresIn: 3600 },
};
