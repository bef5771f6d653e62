'use strict'
// Reloads the page when the transaction has changed, and posts it to the wallet that opened it; copies and prints.
const { live, version, posts = '' } = document.body.dataset
const wallet = window.opener ?? (window.parent === window ? null : window.parent)

async function look() {
  // A wallet may wait for the message while its own window covers this one.
  if (document.hidden && !posts) return
  try {
    const state = await read(live)
    if (posts && wallet) await postTransaction(state)
    if (state.version !== version) location.reload()
  } catch {
    // The next look may succeed.
  }
}

async function read(path) {
  const answer = await fetch(path, { credentials: 'same-origin', headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.json()
}

// SEP-24: what GET /transaction answers; for `callback` once, when the customer's part is over, for `on_change_callback`
// at each status. What was posted is kept over reloads of this window.
async function postTransaction({ isPartOver }) {
  const told = `posted:${live}`
  const last = JSON.parse(sessionStorage.getItem(told) ?? '{}')
  const isEndTold = !posts.includes('end') || last.end
  if (isEndTold && !posts.includes('changes')) return
  const { transaction } = await read(live.replace(/state$/, 'transaction'))
  const { status } = transaction
  const isChange = posts.includes('changes') && status !== (last.status ?? 'incomplete')
  // The server of the wallet's protocol may learn of the end a moment later than this page.
  const isEnd = !isEndTold && isPartOver && status !== 'incomplete'
  if (!isChange && !isEnd) return
  wallet.postMessage({ transaction }, '*')
  sessionStorage.setItem(told, JSON.stringify({ status, end: last.end || isEnd }))
}

if (live) {
  if (posts) look()
  setInterval(look, 1500)
  document.addEventListener('visibilitychange', look)
}
document.addEventListener('submit', event => {
  for (const button of event.target.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true')
})
for (const button of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const words = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = button.dataset.copied
    setTimeout(() => (button.textContent = words), 2000)
  })
}
const moments = new Intl.DateTimeFormat(document.documentElement.lang, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
})
for (const time of document.querySelectorAll('time'))
  time.textContent = moments.format(new Date(time.dateTime))
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}
// What the typed amount costs or brings, before the form is sent.
const amount = document.querySelector('input[name=amount][data-price]')
const price = document.querySelector('#price')
let asked = 0
async function showPrice() {
  const own = ++asked
  const query = new URLSearchParams({ amount: amount.value })
  const rail = amount.form.querySelector('input[name=rail]:checked')
  if (rail) query.set('rail', rail.value)
  const answer = await read(`${amount.dataset.price}?${query}`).catch(() => ({ text: '' }))
  if (own === asked) price.textContent = answer.text
}
if (amount) {
  let timer
  amount.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(showPrice, 300)
  })
  if (amount.value) showPrice()
}
// Another rail asks for other details: the form comes again with them.
for (const choice of document.querySelectorAll('form input[type=radio][name=rail]')) {
  choice.addEventListener('change', () => {
    if (amount) showPrice()
    if (document.querySelector('input[name=dest]')) {
      choice.form.noValidate = true
      choice.form.requestSubmit()
    }
  })
}
