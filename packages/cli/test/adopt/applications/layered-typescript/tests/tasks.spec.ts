import mongoose from 'mongoose';
import request from 'supertest';
import { createApp } from '../src/loaders/express';
import { connect } from '../src/loaders/mongoose';

const app = createApp();

beforeAll(async () => {
  await connect(process.env.MONGODB_URL ?? '', 'tasks_test');
  await mongoose.connection.dropDatabase();
});

afterAll(() => mongoose.disconnect());

describe('tasks', () => {
  it('are those of users', async () => {
    await request(app).get('/v1/tasks').expect(401, { code: 401, message: 'Please authenticate' });
    const user = { name: 'Ada', email: 'ada@example.org', password: 'correct horse' };
    await request(app).post('/v1/auth/register').send(user).expect(201);
    const { body } = await request(app).post('/v1/auth/login').send(user).expect(200);
    const headers = { Authorization: `Bearer ${body.token}` };
    await request(app).post('/v1/tasks').set(headers).send({ title: 'write tests' }).expect(201);
    const tasks = await request(app).get('/v1/tasks').set(headers).expect(200);
    expect(tasks.body).toHaveLength(1);
  });

  it('are served by the application alone', async () => {
    await request(app).get('/v1/nothing').expect(404, { code: 404, message: 'Not found' });
  });
});
