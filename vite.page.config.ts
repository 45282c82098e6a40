import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The page, for both hosts: `vite build -c vite.page.config.ts`, and the renderer part of electron-vite. */
export default defineConfig({
  root: path('renderer'),
  base: './',
  plugins: [react()],
  build: {
    outDir: path('out/renderer'),
    emptyOutDir: true,
    target: 'es2023',
    minify: true,
    rolldownOptions: { input: path('renderer/index.html') },
  },
});
