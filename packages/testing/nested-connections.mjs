const message =
  'This waits for another connection while its transaction holds one: many at once hold all of them, and wait for each other. Do it before the transaction, or in it.'

const COUNTING = new Set(['demand', 'demandQuietly', 'take'])
const WHOLE = /(?:^|\.)(?:database\.db|pool)$/

/**
 * A rule for oxlint: nobody takes from a rate or asks the whole database while a transaction of theirs is open. It looks at
 * what a transaction runs, and at functions that are given one (`tx`).
 */
export default {
  meta: { name: 'nested-connections' },
  rules: {
    'before-transactions': {
      create: context => ({
        CallExpression(node) {
          if (asksElsewhere(node, context.sourceCode) && isInTransaction(node))
            context.report({ node, message })
        },
      }),
    },
  },
}

function asksElsewhere({ callee, arguments: given }, source) {
  const isWhole = node => WHOLE.test(source.getText(node))
  if (given.some(isWhole)) return true
  if (callee.type !== 'MemberExpression') return false
  return (COUNTING.has(callee.property.name) && given.length > 0) || isWhole(callee.object)
}

function isInTransaction(node) {
  for (let at = node; at.parent; at = at.parent) {
    if (at.params?.some(({ name }) => name === 'tx')) return true
    if (
      at.parent.type === 'CallExpression' &&
      at.parent.arguments.includes(at) &&
      isTransaction(at.parent.callee)
    )
      return true
  }
  return false
}

/** `….transaction()….execute` */
function isTransaction({ object, property }) {
  if (property?.name !== 'execute') return false
  for (let at = object; at; at = at.callee?.object)
    if (at.callee?.property?.name === 'transaction') return true
  return false
}
