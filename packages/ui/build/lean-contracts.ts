import { parseSync, Visitor, type Plugin } from 'vite'

const DOCUMENTATION = new Set(['summary', 'description'])
const TEXTS = new Set(['Literal', 'TemplateLiteral', 'BinaryExpression'])

/** Leaves the texts that only the API documents show out of the contracts that browsers load. */
export function leanContracts(): Plugin {
  return {
    name: 'lean-contracts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contracts\/[^/]+\.ts$/ },
      handler: (code, id) => ({ code: withoutTexts(id, code), map: null }),
    },
  }
}

function withoutTexts(file: string, code: string): string {
  const kept: string[] = []
  let from = 0
  new Visitor({
    Property({ key, value, start, end }) {
      if (key.type !== 'Identifier' || !DOCUMENTATION.has(key.name) || !TEXTS.has(value.type)) return
      kept.push(code.slice(from, start))
      from = end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0)
    },
  }).visit(parseSync(file, code).program)
  return kept.join('') + code.slice(from)
}
