import jwt from 'jsonwebtoken';
import { config } from '../config/config';

export function createToken(userId: string): string {
  return jwt.sign({ sub: userId }, config.jwt.secret, { expiresIn: config.jwt.expiresIn });
}
