import { precompress } from '@windlass/ui/build/precompress.ts'
import type { UserConfig } from 'vite'

/** `windlass-ramp.js` for pages that embed the element, and the hosted page. What is needed to log in loads later. */
export default {
  root: import.meta.dirname,
  publicDir: 'hosted/public',
  base: './',
  plugins: [precompress()],
  build: {
    target: ['chrome125', 'edge125', 'firefox128', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { 'windlass-ramp': 'windlass-ramp.ts', page: 'hosted/page.ts' },
      preserveEntrySignatures: 'allow-extension',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
} satisfies UserConfig
