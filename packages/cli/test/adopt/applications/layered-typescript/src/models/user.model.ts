import bcrypt from 'bcryptjs';
import { HydratedDocument, Model, Schema, model } from 'mongoose';

export interface IUser {
  name: string;
  email: string;
  password: string;
  role: 'user' | 'admin';
  isEmailVerified: boolean;
}

interface UserMethods {
  isPasswordMatch(password: string): Promise<boolean>;
}

const userSchema = new Schema<IUser, Model<IUser, {}, UserMethods>, UserMethods>(
  {
    name: { type: String, required: true, trim: true },
    email: { type: String, required: true, unique: true, trim: true, lowercase: true },
    password: { type: String, required: true, minlength: 8 },
    role: { type: String, enum: ['user', 'admin'], default: 'user' },
    isEmailVerified: { type: Boolean, default: false },
  },
  { timestamps: true },
);

userSchema.method('isPasswordMatch', function (password: string) {
  return bcrypt.compare(password, this.password);
});

userSchema.pre('save', async function () {
  if (this.isModified('password')) {
    this.password = await bcrypt.hash(this.password, 8);
  }
});

export type UserDocument = HydratedDocument<IUser, UserMethods>;

export const User = model('User', userSchema);
