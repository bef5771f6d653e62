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
        'NewExpression, CallExpression'(node) {
          const [pattern, flags] = node.arguments.map(textOf)
          if (node.callee.name !== 'RegExp' || pattern === undefined) return
          if (isSlow({ pattern, flags: flags ?? '' })) context.report({ node, message })
        },
      }),
    },
  },
}

/** What a text without parts is; undefined: its parts are known when it runs. */
const textOf = ({ type, value, expressions, quasis }) =>
  typeof value === 'string'
    ? value
    : type === 'TemplateLiteral' && expressions.length === 0
      ? quasis[0].value.cooked
      : undefined

function isSlow({ pattern, flags }) {
  try {
    return analyse({ source: pattern, flags }, { maxReports: 1 }).reports.length > 0
  } catch {
    // It does not know all that V8 does, such as modifiers.
    return false
  }
}
