import { createApp } from '../../app.ts';
import { start } from './index.ts';

void start(createApp);
