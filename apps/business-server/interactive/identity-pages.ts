import { html, type Html } from './html.ts'
import type { Step } from './step.ts'

/** The pages between a wallet and a verified customer. */
export function identityPage(step: Step, base: string, email: string | null, problem: Html | null): Html {
  switch (step) {
    case 'email':
      return html`<h1>Who are you?</h1>
        <p>
          Your wallet is new here. We mail a code to your address and verify your identity once, for all our
          anchors.
        </p>
        ${problem}
        <form method="post" action="${base}/email">
          <label
            >E-mail address <input type="email" name="email" required autocomplete="email" maxlength="254"
          /></label>
          <button>Mail me a code</button>
        </form>`
    case 'code':
      return html`<h1>Enter the code</h1>
        <p>We mailed a 6-digit code to <strong>${email ?? 'you'}</strong>.</p>
        ${problem}
        <form method="post" action="${base}/code">
          <label
            >Code
            <input
              name="code"
              required
              inputmode="numeric"
              autocomplete="one-time-code"
              pattern="[0-9]{6}"
              maxlength="6"
          /></label>
          <button>Go on</button>
        </form>
        <form method="post" action="${base}/email">
          <button class="second" name="again" value="1">Use another address or a new code</button>
        </form>`
    case 'verify':
      return html`<h1>Verify your identity</h1>
        <p>
          We must know who you are before money moves. It takes a few minutes at our identity provider, and is
          needed once for all our anchors.
        </p>
        ${problem}
        <form method="post" action="${base}/verify"><button>Verify my identity</button></form>`
    case 'verifying':
      return html`<h1>Your identity is being verified</h1>
        <p role="status">This page goes on by itself as soon as it is done.</p>
        ${problem}
        <form method="post" action="${base}/verify">
          <button class="second">Back to the identity provider</button>
        </form>`
    default:
      return html`<h1>We cannot serve you</h1>
        <p>
          Your identity could not be verified. Nothing was charged. Write to us if you think that this is
          wrong.
        </p>`
  }
}
