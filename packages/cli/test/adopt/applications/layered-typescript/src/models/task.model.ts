import { Schema, model } from 'mongoose';

export interface ITask {
  title: string;
  done: boolean;
  due?: Date;
}

const taskSchema = new Schema<ITask>(
  {
    title: { type: String, required: true, maxlength: 120 },
    done: { type: Boolean, default: false },
    due: Date,
  },
  { timestamps: true },
);

export const Task = model<ITask>('Task', taskSchema);
