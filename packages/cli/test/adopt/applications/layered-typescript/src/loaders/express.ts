import cors from 'cors';
import express, { Application } from 'express';
import { errorHandler } from '../middlewares/error';
import authController from '../controllers/auth.controller';
import taskController from '../controllers/task.controller';

export function createApp(): Application {
  const app: Application = express();

  app.use(cors());
  app.use(express.json());

  app.use('/v1/auth', authController);
  app.use('/v1/tasks', taskController);

  app.use((req, res) => {
    res.status(404).json({ code: 404, message: 'Not found' });
  });
  app.use(errorHandler);

  return app;
}
