import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stageNames } from '../contracts/platform/provisioning.ts'

const PACKAGES = fileURLToPath(new URL('../', import.meta.url))
/** Two words with a blank between them: what people read, never a code. A network's passphrase (`… ; 2015`) is one. */
const SENTENCE = /^(?!.* ; ).*\p{L}[^\s\p{L}]* +[^\s\p{L}]*\p{L}{2}/su
/** Stages of provisioning are codes by the specification, and so are their names. */
const CODES = new Set(stageNames)
const WORDS_IN_PATTERN = /\p{L}{2} +\p{L}{2}/u
/** SQL that compares a column with one. */
const IN_SQL = /(?:=|<>|!=|\b(?:i?like|in \())\s*'[^']*\p{L}[^\s\p{L}']* +[^\s\p{L}']*\p{L}{2}[^']*'/iu
const COMPARING = new Set(['includes', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'match'])
const QUERYING = new Set(['where', 'having', 'on', 'eb'])
const CONSTANT = /\bconst (\w+)(?:: string)? =\s*'((?:[^'\\\n]|\\.)*)'/g

/**
 * A rule for oxlint: state is codes, and no decision depends on a sentence, whose words change and are translated
 * (docs/adr/0095). Finds it compared in TypeScript, in Kysely and in SQL, also by the name of a constant of this file or
 * of one that it imports. A program of others that gives no code is exempt by a comment that names it.
 */
export default {
  meta: { name: 'compared-sentences' },
  rules: { 'by-codes': { create } },
}

function create(context) {
  const constants = new Map(sentencesIn(context.sourceCode.text))
  const check = node => {
    const sentence = node && sentenceOf(node, constants)
    if (sentence) report(node, sentence)
  }
  const checkSql = (node, text) => {
    const [found] = IN_SQL.exec(text) ?? []
    if (found) report(node, found)
  }
  const report = (node, sentence) =>
    context.report({ node, message: `Compare a code, not the sentence "${sentence.slice(0, 60)}" (ADR 95).` })
  return {
    ImportDeclaration({ source, specifiers }) {
      const path = pathOf(context.filename, source.value)
      const exported = path === null ? [] : sentencesIn(readFileSync(path, 'utf8'))
      for (const [name, sentence] of exported)
        for (const each of specifiers)
          if (each.imported?.name === name) constants.set(each.local.name, sentence)
    },
    BinaryExpression({ operator, left, right }) {
      if (!/^[!=]==?$/.test(operator)) return
      check(left)
      check(right)
    },
    SwitchCase: ({ test }) => check(test),
    CallExpression({ callee, arguments: [first, , third] }) {
      const name = callee.name ?? callee.property?.name
      if (QUERYING.has(name)) check(third)
      if (COMPARING.has(name)) check(first)
      if (name === 'test' || name === 'exec') check(callee.object)
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.name === 'sql') quasi.expressions.forEach(check)
    },
    TemplateElement: node => checkSql(node, node.value.raw),
    Literal(node) {
      if (typeof node.value === 'string') checkSql(node, node.value)
    },
  }
}

/** The sentence that an expression is; null: it is none, or not known to be one. */
function sentenceOf(node, constants) {
  if (node.type === 'Identifier') return constants.get(node.name) ?? null
  if (node.regex) return WORDS_IN_PATTERN.test(node.regex.pattern) ? node.regex.pattern : null
  return isSentence(node.value) ? node.value : null
}

const isSentence = value => typeof value === 'string' && SENTENCE.test(value) && !CODES.has(value)

const sentencesIn = text =>
  [...text.matchAll(CONSTANT)]
    .filter(([, , value]) => isSentence(value))
    .map(([, name, value]) => [name, value])

/** Where what is imported is written; null: outside of this checkout. */
function pathOf(from, source) {
  const path = source.startsWith('@windlass/')
    ? join(PACKAGES, source.slice('@windlass/'.length))
    : source.startsWith('.') && resolve(dirname(from), source)
  return path && path.endsWith('.ts') && existsSync(path) ? path : null
}
