type Child = Node | string | null | undefined | false
type Properties = Readonly<Record<string, unknown>>

/**
 * Makes an element. Properties that begin with `on` are listeners, `true` and `false` set or leave out an attribute, and
 * the rest are attributes. Text stays text: nothing is parsed as HTML, so pages can require Trusted Types.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false))
  return element
}

/** Terms and what they mean, without those that have no value. */
export function facts(rows: readonly (readonly [string, Node | string | null | undefined])[]): HTMLElement {
  const given = rows.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return h('dl', {}, ...given.flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]))
}

/** A link that opens apart; the text alone where the address is not a safe one. */
export function link(address: string | undefined, text: string): Node | null {
  if (address === undefined || !isSafeAddress(address)) return null
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, text)
}

/**
 * Whether an address that an anchor named can be opened: `https`, or `http` on the own machine. A `javascript:` address
 * would run with the rights of the page that holds the element.
 */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:') return true
  return protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/.test(hostname)
}
