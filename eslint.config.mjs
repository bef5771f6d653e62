import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const message = 'Use AmountField or AmountInput for numbers, and amountError to check them.'

/** Ways to take a number from a person without them: an input, a field with a unit, a pattern, a replaced comma. */
const typedNumbers = [
  'JSXAttribute[name.name="inputMode"][value.value="decimal"]',
  'JSXAttribute[name.name="type"][value.value="number"]',
  'Property[key.name="inputMode"][value.value="decimal"]',
  // Codes of six digits are no numbers: their field says so by `one-time-code`.
  'JSXOpeningElement:has(JSXAttribute[name.name="inputMode"][value.value="numeric"]):not(:has(JSXAttribute[name.name="autoComplete"][value.value="one-time-code"]))',
  String.raw`Literal[regex.pattern=/\\d\{1,1\d\}/]`,
  'CallExpression[callee.property.name=/^replace(All)?$/][arguments.0.value=","][arguments.1.value="."]',
].map(selector => ({ selector, message }))

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
    // A number that a person types is read by packages/ui/amount-field.tsx, in the reader's language (ADR 82).
    files: [
      'apps/*-console/**/*.{ts,tsx}',
      'apps/customer-portal/**/*.{ts,tsx}',
      'packages/ui/**/*.{ts,tsx}',
    ],
    ignores: ['packages/ui/amount-field.tsx', '**/*.test.{ts,tsx}', '**/testing/**'],
    rules: { 'no-restricted-syntax': ['error', ...typedNumbers] },
  },
  {
    // A stand-in's request handler may be async: a test that it fails is red in any case.
    files: ['**/*.test.{ts,tsx}', '**/testing/**', 'bench/**'],
    rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] },
  },
)
