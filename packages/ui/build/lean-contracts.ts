import { parseSync, Visitor, type Plugin } from 'vite'

const DOCUMENTATION = new Set(['summary', 'description'])
const TEXTS = new Set(['Literal', 'TemplateLiteral', 'BinaryExpression'])
/** `endpoint`, `Type` and the functions that return a schema, such as `Text`. */
const MAKERS = /^(endpoint|Type|[A-Z][a-z]\w*)$/

/**
 * Makes the contracts that browsers load small: leaves out the texts that only the API documents show, and marks schemas
 * and endpoints as free of side effects, so that a page loads only those it uses.
 */
export function leanContracts(): Plugin {
  return {
    name: 'lean-contracts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contracts\/(?:[^/]+\/)?[^/]+\.ts$/ },
      handler: (code, id) => ({ code: leanContract(id, code), map: null }),
    },
  }
}

const PURE = '/* @__PURE__ */ '

function leanContract(file: string, code: string): string {
  const edits: { start: number; end: number; text: string }[] = []
  new Visitor({
    Property({ key, value, start, end }) {
      if (key.type !== 'Identifier' || !DOCUMENTATION.has(key.name) || !TEXTS.has(value.type)) return
      const comma = /^\s*,/.exec(code.slice(end))?.[0].length ?? 0
      edits.push({ start, end: end + comma, text: '' })
    },
    CallExpression({ callee, start }) {
      const maker = callee.type === 'MemberExpression' ? callee.object : callee
      if (maker.type !== 'Identifier' || !MAKERS.test(maker.name)) return
      edits.push({ start, end: start, text: PURE })
    },
  }).visit(parseSync(file, code).program)
  edits.sort((a, b) => a.start - b.start)
  let lean = ''
  let from = 0
  for (const { start, end, text } of edits) {
    // Inside of what is left out.
    if (start < from) continue
    lean += code.slice(from, start) + text
    from = end
  }
  return lean + code.slice(from)
}
