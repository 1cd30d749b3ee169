import { Router } from 'express';
import { auth } from '../middlewares/auth';
import { catchAsync } from '../middlewares/error';
import { Task } from '../models/task.model';

const router = Router();

router.use(auth);

router.get(
  '/',
  catchAsync(async (req, res) => res.json(await Task.find().sort('-createdAt'))),
);

router.post(
  '/',
  catchAsync(async (req, res) => res.status(201).json(await Task.create(req.body))),
);

export default router;
