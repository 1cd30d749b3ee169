import { config } from './config/config';
import { createApp } from './loaders/express';
import { connect } from './loaders/mongoose';

async function main(): Promise<void> {
  await connect(config.mongoose.url);
  createApp().listen(config.port, () => {
    console.log(`tasks serves http://localhost:${config.port}`);
  });
}

void main();
