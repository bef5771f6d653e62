import { analyse } from 'scslre'

const message =
  'This pattern may take a time that grows with the square of the text. Write a loop, or bound the text and say so beside a disabled rule.'

/**
 * A rule for oxlint: a pattern takes a time in proportion to the text, which strangers choose. Off for what only those
 * who run the product write, and for browsers.
 */
export default {
  meta: { name: 'linear-patterns' },
  rules: {
    'by-any-text': {
      create: context => ({
        Literal(node) {
          if (node.regex && isSlow(node.regex)) context.report({ node, message })
        },
      }),
    },
  },
}

function isSlow({ pattern, flags }) {
  try {
    return analyse({ source: pattern, flags }, { maxReports: 1 }).reports.length > 0
  } catch {
    // It does not know all that V8 does, such as modifiers.
    return false
  }
}
