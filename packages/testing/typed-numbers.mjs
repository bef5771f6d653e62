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
]

/** A rule for oxlint: what a person types is read by packages/ui/amount-field.tsx, in the reader's language (ADR 82). */
export default {
  meta: { name: 'typed-numbers' },
  rules: {
    'by-amount-field': {
      create: context =>
        Object.fromEntries(
          typedNumbers.map(selector => [selector, node => context.report({ node, message })]),
        ),
    },
  },
}
