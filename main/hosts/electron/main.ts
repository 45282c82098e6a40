import { openApp } from '../open-app.ts';
import { start } from './index.ts';

void start(openApp);
