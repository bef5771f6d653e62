import { createTransport } from 'nodemailer'

/** An email's text in both forms. */
export interface Email {
  subject: string
  text: string
  html: string
}

/** Hands emails to a mail server. */
export interface Mailer {
  send(email: Email & { to: string; messageId: string }): Promise<void>
  close(): void
}

/** SMTP by `smtp://user:password@host:port`; `smtps:` for TLS from the first byte. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 3,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    // An email is text: nothing in it may make the sender read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text, html, messageId }) {
      // As an object, an address cannot become two.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, messageId })
    },
    close: () => transport.close(),
  }
}
