import { Router } from 'express';
import { HttpError, catchAsync } from '../middlewares/error';
import { User } from '../models/user.model';
import { createToken } from '../services/token.service';

const router = Router();

router.post(
  '/register',
  catchAsync(async (req, res) => {
    const user = await User.create(req.body);
    res.status(201).json({ token: createToken(user.id) });
  }),
);

router.post(
  '/login',
  catchAsync(async (req, res) => {
    const user = await User.findOne({ email: req.body.email });
    if (!user || !(await user.isPasswordMatch(req.body.password))) {
      throw new HttpError(401, 'Incorrect email or password');
    }
    res.json({ token: createToken(user.id) });
  }),
);

export default router;
