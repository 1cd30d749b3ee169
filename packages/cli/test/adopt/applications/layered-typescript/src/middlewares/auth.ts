import { NextFunction, Request, Response } from 'express';
import jwt from 'jsonwebtoken';
import { config } from '../config/config';
import { HttpError } from './error';

export function auth(req: Request, res: Response, next: NextFunction): void {
  try {
    const token = req.headers.authorization?.replace('Bearer ', '') ?? '';
    res.locals.userId = (jwt.verify(token, config.jwt.secret) as { sub: string }).sub;
    next();
  } catch {
    next(new HttpError(401, 'Please authenticate'));
  }
}
