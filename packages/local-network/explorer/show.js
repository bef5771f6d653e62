let shown = 0
async function show(moved) {
  const turn = ++shown
  for (const stream of streams.splice(0)) stream.close()
  const [, kind = '', id = ''] = location.hash.split('/').map(decodeURIComponent)
  let title
  let content
  try {
    if (!Object.hasOwn(views, kind)) throw new Problem('There is no such page.')
    ;[title, ...content] = await views[kind](id)
  } catch (error) {
    title = kind ? `${kind} ${short(id)}` : 'Local Stellar network'
    content = [element('p', {}, error instanceof Problem ? error.message : 'The network does not answer.')]
  }
  if (turn !== shown) return
  document.title = `${title} · Local Stellar network`
  main.replaceChildren(element('h1', {}, title), ...content.filter(Boolean))
  if (moved) main.focus()
}

/** The page for what someone typed. */
function destination(text) {
  if (/^\d{1,10}$/.test(text)) return `ledger/${text}`
  if (/^[0-9a-f]{64}$/i.test(text)) return `transaction/${text.toLowerCase()}`
  if (/^0{8}[0-9a-f]{64}$/i.test(text)) return `balance/${text.toLowerCase()}`
  if (/^[A-Za-z0-9]{1,12}:G[A-Z2-7]{55}$/.test(text)) return `asset/${encodeURIComponent(text)}`
  return `account/${encodeURIComponent(text)}`
}

document.querySelector('form').addEventListener('submit', event => {
  event.preventDefault()
  const text = event.target.elements.search.value.trim()
  if (text) location.hash = `#/${destination(text)}`
})
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#/') || location.hash === '') void show(true)
})

const pulse = document.getElementById('pulse')
const beat = new EventSource('/ledgers?cursor=now&limit=200')
beat.onmessage = event => {
  pulse.textContent = `Ledger ${JSON.parse(event.data).sequence}`
}
beat.onerror = () => {
  if (beat.readyState === EventSource.CONNECTING) return
  pulse.textContent = 'Not connected'
}
void get('/').then(root => {
  pulse.textContent = `Ledger ${root.history_latest_ledger}`
  document.getElementById('network').textContent =
    `${root.network_passphrase} · protocol ${root.current_protocol_version} · ${root.core_version}`
})
void show(false)
