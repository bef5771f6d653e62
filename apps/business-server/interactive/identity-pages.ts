import { type Html, html } from './html.ts'
import { alert, sign } from './pieces.ts'
import type { Step } from './step.ts'
import type { Texts } from './texts.ts'

interface Shown {
  base: string
  /** The address that a code was sent to, or that the wallet sent. */
  email: string | null
  /** The anchor's host and the wallet's account, which the email names. */
  domain: string
  account: string
  problem?: string
}

/** The pages between a wallet and a verified customer. */
export function identityPage(step: Step, t: Texts, { base, email, domain, account, problem }: Shown): Html {
  switch (step) {
    case 'email':
      return html`<h1>${t.whoAreYou}</h1>
        <p>${t.newWallet}</p>
        ${alert(problem)}
        <form method="post" action="${base}/email">
          <label
            >${t.email}
            <input
              type="email"
              name="email"
              required
              autocomplete="email"
              inputmode="email"
              maxlength="254"
              value="${email ?? ''}"
          /></label>
          <button>${t.mailCode}</button>
        </form>`
    case 'code':
      return html`<h1>${t.enterCode}</h1>
        <p>${t.codeMailed(email ?? t.you)}</p>
        <p>${t.checkEmail(domain, shorten(account))}</p>
        ${alert(problem)}
        <form method="post" action="${base}/code">
          <label
            >${t.code}
            <input
              class="code"
              name="code"
              required
              inputmode="numeric"
              autocomplete="one-time-code"
              pattern="[0-9]{6}"
              maxlength="6"
          /></label>
          <button>${t.continue}</button>
        </form>
        <form method="post" action="${base}/email">
          <button class="second" name="again" value="1">${t.otherAddress}</button>
        </form>`
    case 'confirm':
      return html`${sign('wait')}
        <h1>${t.confirmTitle}</h1>
        <p>${t.confirmWallet(email ?? t.you, shorten(account))}</p>
        <p role="status">${t.confirmWhy}</p>
        ${alert(problem)}
        <form method="post" action="${base}/email">
          <button class="second" name="again" value="1">${t.otherAddress}</button>
        </form>`
    case 'verify':
      return html`<h1>${t.verifyTitle}</h1>
        <p>${t.verifyWhy}</p>
        ${alert(problem)}
        <form method="post" action="${base}/verify"><button>${t.verify}</button></form>`
    case 'verifying':
      return html`${sign('wait')}
        <h1>${t.verifyingTitle}</h1>
        <p role="status">${t.verifyingWhy}</p>
        ${alert(problem)}
        <form method="post" action="${base}/verify">
          <button class="second">${t.backToProvider}</button>
        </form>`
    default:
      return html`${sign('stop')}
        <h1>${t.rejectedTitle}</h1>
        <p>${t.rejectedWhy}</p>`
  }
}

/** As wallets show an account. */
const shorten = (account: string): string => `${account.slice(0, 4)}…${account.slice(-4)}`
