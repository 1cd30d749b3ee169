import { Schema, model } from 'mongoose';

export const Label = model('Label', new Schema({ name: { type: String, required: true } }));
