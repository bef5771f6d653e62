import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** Only rules that need types or that find mistakes: Prettier owns the format, tsc the types. */
export default defineConfig(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/.windlass/**', '**/*.js', '**/*.mjs'] },
  {
    files: ['{apps,packages,e2e,bench}/**/*.{ts,tsx}'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true, caughtErrors: 'none' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': ['error', { ignoreReadBeforeAssign: true }],
    },
  },
  {
    // A stand-in's request handler may be async: a test that it fails is red in any case.
    files: ['**/*.test.{ts,tsx}', '**/testing/**', 'bench/**'],
    rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] },
  },
)
