import type { EmailLanguage, EmailRecipient } from '@windlass/contracts/platform/emails.ts'
import { asciiEmail } from '@windlass/service/http/validation.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Email } from '../infrastructure/mailer.ts'
import type { PlatformDb } from '../tables.ts'
import { findLanguage } from './languages.ts'

/** Addresses are compared in lower case, their domains in ASCII, so that one person is one user. */
export const normalizedEmail = (address: string): string => asciiEmail(address.trim().toLowerCase())

/** An email's parts in one language. */
export interface EmailParts {
  subject: string
  /** Plain paragraphs; they may contain text written by strangers. */
  paragraphs: readonly string[]
  /** Shown as a button, and as plain text in the text part. */
  link?: EmailLink
  /** The other choice, below the button. */
  secondLink?: EmailLink
  /** Shown large, for a code to be typed. */
  code?: string
  footnote?: string
  /** Whose customer gets it; absent: the platform's own user. */
  sender?: EmailSender | undefined
}

interface EmailLink {
  label: string
  url: string
}

/** The company that an email is written for, with its look. */
export interface EmailSender {
  name: string
  /** `#0b57c9` */
  color: string | null
  logoUrl: string | null
  supportEmail: string
}

/** An email that waits for the language of the person it goes to. */
export interface LocalizedEmail {
  (language: EmailLanguage): Email
  /** Its declaration's name. */
  template: string
}

interface EmailDeclaration<Data> {
  /** Unique, in lower case with hyphens. */
  name: string
  recipients: readonly EmailRecipient[]
  /** Invented, for the preview that administrators see. */
  sample: Data
  /** The email's parts in each language. `data` may contain text written by strangers. */
  texts: Readonly<Record<EmailLanguage, (data: Data) => EmailParts>>
}

interface DeclaredEmail extends Pick<EmailDeclaration<unknown>, 'name' | 'recipients'> {
  sample: LocalizedEmail
}

const declared = new Map<string, DeclaredEmail>()

/** Every email of the slices that have loaded, by name: once declared, it is in the admin console. */
export const declaredEmails = (): ReadonlyMap<string, DeclaredEmail> => declared

/** Declares a kind of email. Returns what writes one. */
export function declareEmail<Data>({
  name,
  recipients,
  sample,
  texts,
}: EmailDeclaration<Data>): (data: Data) => LocalizedEmail {
  if (declared.has(name)) throw new Error(`Two emails are named ${name}.`)
  const write = (data: Data): LocalizedEmail =>
    Object.assign((language: EmailLanguage) => formatEmail(texts[language](data), language), {
      template: name,
    })
  declared.set(name, { name, recipients, sample: write(sample) })
  return write
}

/** Formats an email in plain text and HTML; everything is escaped here, once. */
export function formatEmail(parts: EmailParts, language: EmailLanguage = 'en'): Email {
  const { subject, paragraphs, link, secondLink, code, footnote, sender } = parts
  const links = [link, secondLink].flatMap(each => (each ? [`${each.label}:\n${each.url}`] : []))
  const lines = [...paragraphs, ...(code ? [code] : []), ...links]
  return {
    subject: oneLine(subject),
    text: [...lines, ...(footnote ? [footnote] : []), `-- \n${signatureOf(sender)}`].join('\n\n') + '\n',
    html: htmlOf(parts, language),
  }
}

const signatureOf = (sender: EmailSender | undefined): string =>
  sender ? `${oneLine(sender.name)}, ${sender.supportEmail}` : 'Windlass'

/** Text for a header: no line break, so that it cannot add headers or recipients. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 200)

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
// The consoles' light colours (packages/ui/styles/theme.css) as mail programs read them.
const INK = '#10202b'
const SOFT = '#4a5962'
const ACCENT = '#00687d'
const LINE = '#d8e0e3'
const CANVAS = '#f7fafb'
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, mark => ENTITIES[mark] ?? mark)

function htmlOf(
  { subject, paragraphs, link, secondLink, code, footnote, sender }: EmailParts,
  language: EmailLanguage,
): string {
  const accent = escapeHtml(sender?.color ?? ACCENT)
  const body = [
    ...paragraphs.map(text => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`),
    ...(code
      ? [
          `<p style="margin:0 0 16px;padding:14px 18px;border-radius:8px;background:${CANVAS};border:1px solid ${LINE};font:600 28px/1.2 ui-monospace,monospace;letter-spacing:.2em">${escapeHtml(code)}</p>`,
        ]
      : []),
    ...(link
      ? [
          `<p><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:${accent};color:#fff;font-weight:600;text-decoration:none">${escapeHtml(link.label)}</a></p>`,
          `<p style="color:${SOFT};font-size:13px;word-break:break-all">${escapeHtml(link.url)}</p>`,
        ]
      : []),
    ...(secondLink
      ? [
          `<p><a href="${escapeHtml(secondLink.url)}" style="color:${accent};font-weight:600">${escapeHtml(secondLink.label)}</a></p>`,
        ]
      : []),
    ...(sender ? [`<p style="color:${SOFT};font-size:13px">${escapeHtml(signatureOf(sender))}</p>`] : []),
    ...(footnote ? [`<p style="color:${SOFT};font-size:13px">${escapeHtml(footnote)}</p>`] : []),
  ]
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(oneLine(subject))}</title></head>`,
    `<body style="margin:0;padding:24px 12px;background:${CANVAS};font:15px/1.5 Inter,system-ui,sans-serif;color:${INK};overflow-wrap:anywhere">`,
    `<div style="max-width:520px;margin:0 auto;padding:24px;border:1px solid ${LINE};border-radius:8px;background:#fff">`,
    ...(sender?.logoUrl
      ? [`<img src="${escapeHtml(sender.logoUrl)}" alt="" style="max-height:48px;max-width:200px">`]
      : []),
    `<p style="margin:0 0 20px;font-weight:600;color:${accent}">${escapeHtml(oneLine(sender?.name ?? 'Windlass'))}</p>`,
    ...body,
    '</div></body></html>',
  ].join('')
}

export const MAIL_TOPIC = 'mail'

/** Stored sealed in the outbox until the email is delivered. */
export interface SealedEmail extends Email {
  to: string
  /** Absent in those of an earlier release. */
  language?: EmailLanguage
}

/**
 * Enqueues an email in the caller's transaction: delivered at least once after it commits, never if it does not. It
 * may carry a token or a code: it is stored sealed and wiped once delivered. A second one with the same key is dropped.
 *
 * @param language by default the one of the person with this address
 * @returns the language that it is written in
 */
export async function enqueueEmail(
  tx: PlatformDb,
  sealer: Sealer,
  key: string,
  to: string,
  email: (language: EmailLanguage) => Email,
  language?: EmailLanguage,
): Promise<EmailLanguage> {
  const used = language ?? (await findLanguage(tx, to))
  const sealed: SealedEmail = { to, language: used, ...email(used) }
  await enqueue(tx, MAIL_TOPIC, key, sealed, sealer)
  return used
}
